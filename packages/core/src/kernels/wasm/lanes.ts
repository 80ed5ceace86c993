// What kernels are written in: four lanes where there is SIMD. For the kernels without it the build reads './lanes/one' here.
export * from './lanes/four';
