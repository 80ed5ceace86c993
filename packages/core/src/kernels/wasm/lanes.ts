// The vector type of the kernels: four lanes with SIMD. For the kernels without SIMD, the build replaces this path by
// './lanes/one'.
export * from './lanes/four';
