/** What the person who typed the command can put right: told in one line, without a stack. */
export class Mistake extends Error {}
