// What float32 may lose, for the kernels of crowds.

/** What quotients and squares may lose to rounding. */
export const SLACK: f32 = 1.0 + 1.0 / 262144.0;
/** What sums may lose. */
export const ROUNDED: f32 = 1.0 + 1.0 / 4194304.0;
/** A square that may come to nothing; world units squared. */
export const VANISHING_SQUARED: f32 = 4.70197740328915e-38;
