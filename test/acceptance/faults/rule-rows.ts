/** Noise and gaps of the built-in rules on public repositories, in the order in which they were reported. */
import { by, type Proof, proved } from '../named-test.ts';

const NOISE = 'test/shared/rules/noise.test.ts';
const HARMLESS = 'test/shared/rules/inserted/harmless.test.ts';
const TIGHTEN = 'test/services/reviewer/rules/tighten.test.ts';

export const RULE_ROWS: Readonly<Record<string, Proof>> = {
  'F-G1': proved(by(NOISE, 'a label of a translation', 'a label in another folder of translations')),
  'F-G2': proved(by(NOISE, 'a key that only searches', 'a key that every browser gets')),
  'F-G3': proved(by(NOISE, 'settings for tests only', 'settings that are a sample')),
  'F-G4': proved(by(NOISE, 'a key of a test')),
  'F-G5': proved(
    by(NOISE, 'the name of a table', 'names of columns'),
    by(HARMLESS, 'a name where a table is named', 'data of a request where a table is named'),
  ),
  'F-G6': proved(by(NOISE, 'quoted values'), by(HARMLESS, 'a value quoted before')),
  'F-G7': proved(
    by(NOISE, 'a template with constants only'),
    by(HARMLESS, 'a name of a constant made of constants', 'a name with a second value'),
  ),
  'F-G8': proved(by(NOISE, 'a process id')),
  'F-G9': proved(by(NOISE, 'verification by a setting')),
  'F-G10': proved(by(NOISE, 'a constant marked as safe')),
  'F-G11': proved(by(NOISE, 'a rescue with a value')),
  'F-G12': proved(by(NOISE, 'a file that may be gone')),
  'F-G13': proved(by(NOISE, 'an address of known parts')),
  'F-G14': proved(by(NOISE, 'a hash for a cache')),
  'F-G15': proved(by(NOISE, 'minified code below a licence')),
  'F-G16': proved(by(NOISE, 'what a build wrote')),
  'F-G17': proved(by(NOISE, 'data of a test')),
  'F-G18': proved(by(NOISE, 'new Function under its own name')),
  'F-G19': proved(by(TIGHTEN, 'leave out %s, whose edits are routine')),
  'F-G21': proved(by(NOISE, 'an id of a key alone')),
  'F-G22': proved(by(NOISE, 'conflict markers in prose')),
};
