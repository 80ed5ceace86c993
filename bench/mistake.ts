/** What whoever typed the command can put right: a wrong word or a wrong file. One line for them, and exit code 2. */
export class Mistake extends Error {
  override readonly name = 'Mistake';
}
