/**
 * Adds up vitest's JSON reports, names what failed, and prints the one line that a build server reads:
 *   node .ci/count.mjs EXTRA_FAILURES REPORT[,REPORT_OF_SECOND_RUN]...
 *   node .ci/count.mjs --failed-files REPORT
 * The second form prints the test files that failed, one per line.
 * A report that is missing, and a test file that could not be loaded, are failures too: nothing is counted as passed
 * that did not run. A file that was run again counts as in its second run; tests that passed only then are named.
 * Exits 1 when anything failed or nothing passed.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FAILURES_SHOWN = 40;

/** @typedef {{ status: string, fullName: string, failureMessages?: string[] }} Test */
/** @typedef {{ name: string, status: string, message?: string, assertionResults: Test[] }} TestFile */

/** @type {(file: string) => TestFile[] | null} Null: there is no report that can be read. */
const readFiles = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return null;
  }
};

/** @type {(name: string) => string} */
const short = (name) => path.relative(process.cwd(), name);

/** @type {(text: string) => string} */
const firstLine = (text) => (text.split('\n')[0] ?? '').slice(0, 300);

/** @type {(file: TestFile) => string[]} */
const failuresOf = ({ name, status, message = '', assertionResults }) => {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${short(name)}: ${firstLine(message)}`];
  return failed.map((test) => `${short(name)}: ${test.fullName}: ${firstLine(test.failureMessages?.[0] ?? '')}`);
};

/** @type {(first: TestFile, second: TestFile) => string[]} */
const passedOnlyAgain = (first, second) => {
  const passed = new Set(
    second.assertionResults.filter(({ status }) => status === 'passed').map((test) => test.fullName),
  );
  return first.assertionResults
    .filter(({ status, fullName }) => status === 'failed' && passed.has(fullName))
    .map(({ fullName }) => `${short(first.name)}: ${fullName}`);
};

/** @type {(argument: string) => { files: TestFile[], lost: string[], unsteady: string[] }} */
const readReport = (argument) => {
  const [report = '', again] = argument.split(',');
  const files = readFiles(report);
  if (files === null) return { files: [], lost: [`there is no test report at ${report}`], unsteady: [] };
  const second = new Map((again === undefined ? [] : (readFiles(again) ?? [])).map((file) => [file.name, file]));
  return {
    files: files.map((file) => second.get(file.name) ?? file),
    lost: [],
    unsteady: files.flatMap((file) => {
      const other = second.get(file.name);
      return other === undefined ? [] : passedOnlyAgain(file, other);
    }),
  };
};

/** @type {(title: string, lines: string[]) => void} */
const list = (title, lines) => {
  if (lines.length === 0) return;
  process.stdout.write(`== ${title}\n`);
  for (const line of lines.slice(0, FAILURES_SHOWN)) process.stdout.write(`  ${line}\n`);
  if (lines.length > FAILURES_SHOWN) process.stdout.write(`  and ${lines.length - FAILURES_SHOWN} more\n`);
};

const [first, ...reports] = process.argv.slice(2);
if (first === '--failed-files') {
  const failed = (readFiles(reports[0] ?? '') ?? []).filter((file) => failuresOf(file).length > 0);
  for (const { name } of failed) if (existsSync(name)) process.stdout.write(`${short(name)}\n`);
} else {
  const read = reports.map(readReport);
  const files = read.flatMap((report) => report.files);
  const failures = [...read.flatMap((report) => report.lost), ...files.flatMap(failuresOf)];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = Number(first) + failures.length;
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
  list(
    'passed only when their file was run again, so they need a look',
    read.flatMap((report) => report.unsteady),
  );
  list('failed', failures);
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
