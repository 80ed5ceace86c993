/**
 * A mistake that the user of the command can correct: a wrong argument or a wrong file. Printed as one line, exit code 2.
 */
export class Mistake extends Error {
  override readonly name = 'Mistake';
}
