/** The longest time of a timer, in milliseconds: one that is set to more would fire at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;
