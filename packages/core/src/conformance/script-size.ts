/** What is asked of a random script. */

/** How long a random script is, and how many take part. */
export interface ScriptSize {
  /** Operations in the script, the closing tick and probe included; at least 2. */
  readonly operations: number;
  /** Most entities present at once. */
  readonly entities: number;
  /** Whether watchers have rules on top of perception: interests, pins, groups, caps. Default false. */
  readonly interests?: boolean;
  /** Whether entities are attached to one another, moved while they are, torn apart, and removed. Default false. */
  readonly attachments?: boolean;
  /**
   * Whether everybody is short-lived: in every tick some go and as many come, so that slots run far past 1,024 and the
   * store's columns shrink and grow; now and then the world is stored and restored. Default false.
   */
  readonly turnover?: boolean;
  /**
   * Whether all rules, conditions and calls are in use at once, interests and attachments among them, and now and then the world is
   * stored and restored; else each script has about half of them. Default false.
   */
  readonly together?: boolean;
}
