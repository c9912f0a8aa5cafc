/**
 * Adds up vitest's JSON reports and prints the one line that a build server reads:
 *   node .ci/count.mjs EXTRA_FAILURES REPORT...
 * A report that is missing, and a test file that could not be loaded, are failures too: nothing is counted as passed
 * that did not run. Exits 1 when anything failed or nothing passed.
 */
import { readFileSync } from 'node:fs';

/** @param {string} path */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    process.stdout.write(`no test report at ${path}\n`);
    return null;
  }
}

/** @param {any} report */
function countReport(report) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

const [extraFailures, ...reports] = process.argv.slice(2);
const total = { passed: 0, failed: Number(extraFailures), skipped: 0 };
for (const counts of reports.map((path) => countReport(readReport(path)))) {
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
