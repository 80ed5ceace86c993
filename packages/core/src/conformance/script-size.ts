/** The size and contents requested of a random script. */

/** How long a random script is, and how many entities it has. */
export interface ScriptSize {
  /**
   * Number of operations in the script, the closing tick and probe included, or up to two more; at least 2.
   * Renewed pins, and what is put around failing ticks, come on top.
   */
  readonly operations: number;
  /** Maximum number of entities present at once. */
  readonly entities: number;
  /** Whether watchers have rules on top of perception: interests, pins, groups, caps. Default false. */
  readonly interests?: boolean;
  /** Whether entities are attached to one another, moved while attached, detached, and removed. Default false. */
  readonly attachments?: boolean;
  /** Whether perception is by cells: for detectors that support it, beside the model. Default false. */
  readonly cells?: boolean;
  /**
   * Whether all entities are short-lived: in every tick some are removed and as many added, so that slots run far
   * past 1,024 and the store's columns shrink and grow; sometimes the world is stored and restored. Default false.
   */
  readonly turnover?: boolean;
  /**
   * Whether crowds leap together between places far apart, so that the relations of watchers with rules jump over
   * their caps and back; 30 entities or more. Other contents than `cells` do not apply. Default false.
   */
  readonly leaping?: boolean;
  /**
   * Whether all rules, conditions and calls are in use at once, interests and attachments included, and the world is
   * sometimes stored and restored; else each script has about half of them. Default false.
   */
  readonly together?: boolean;
}
