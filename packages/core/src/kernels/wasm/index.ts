// The kernels that the module exports; compiled by the build and embedded as wasm-bytes.ts.
export { countCrossings, placeCrossings, resolveCrossings } from './resolve-crossings';
export { editRows } from './edit-rows';
export { listChanged, listRows } from './list-rows';
export { passHolds } from './pass-holds';
export { countRelations, findReached } from './count-relations';
export { countEntries, placeEntries, startCells } from './sweep-entries';
export { scanEntries } from './sweep-scan';
export { scanPairs } from './sweep-pairs';
export { scanMovers } from './sweep-movers';
export { settlePending, endMoves } from './pending-slots';
export { countReport, fillReport } from './fill-report';
export { checkMoves, writeMoves } from './moves';
export { putMovers, restMovers } from './resident-entries';
export { editPairs } from './edit-pairs';
export { tellRated } from './tell-rated';
export { searchSeats } from './seat-search';
export { listDue } from './seat-due';
export { commitSeats, tellSeats } from './seat-changes';
