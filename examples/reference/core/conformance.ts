// Example of: detectorSuite, SuiteOptions, ConformanceCase

import { type ConformanceCase, detectorSuite, type SuiteOptions } from 'umwelt/conformance';
import { quadtree } from 'umwelt/detectors';

// In a test file of yours: for (const { name, run } of detectorSuite(myDetector)) test(name, run);
const options: SuiteOptions = { scripts: 50, seed: 7 };
const cases: ConformanceCase[] = detectorSuite(quadtree, options);
const first = cases[0]!;
first.run();
console.log(cases.length > 100, first.name !== ''); // true true
