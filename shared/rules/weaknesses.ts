/** Which weaknesses (CWE) the built-in rules are about, so that a report of an analyzer about the same one is recognised. */
import type { RuleHit } from './model/rule.ts';

const WEAKNESSES: readonly (readonly [cwes: readonly number[], rules: string])[] = [
  [[94, 95], 'js-eval js-new-function js-vm-code py-eval rb-eval php-eval sh-eval-variable'],
  [
    [77, 78],
    'js-shell-by-string js-shell-number-unchecked js-shell-from-parameters py-shell-by-string go-shell-by-string java-shell-by-string rb-shell-by-string php-shell-by-string cs-shell-by-string rs-shell-by-string c-shell-by-string kt-shell-by-string',
  ],
  [
    [89],
    'js-sql-concat py-sql-concat go-sql-concat java-sql-concat rb-sql-interpolation php-sql-concat cs-sql-concat rs-sql-concat kt-sql-concat sql-dynamic-value',
  ],
  [
    [79],
    'js-inner-html tsx-unsafe-html vue-unsafe-html svelte-unsafe-html go-unescaped-html rb-unescaped-html php-echo-request',
  ],
  [
    [502],
    'js-unsafe-deserialise py-unsafe-deserialise py-yaml-load java-unsafe-deserialise rb-unsafe-deserialise php-unsafe-deserialise cs-unsafe-deserialise kt-unsafe-deserialise',
  ],
  [
    [295],
    'js-tls-not-verified js-tls-switched-off py-tls-not-verified go-tls-not-verified java-tls-not-verified rb-tls-not-verified php-tls-not-verified sh-tls-not-verified cs-tls-not-verified rs-tls-not-verified c-tls-not-verified kt-tls-not-verified ci-tls-not-verified docker-tls-not-verified tf-tls-not-verified',
  ],
  [[327, 328], 'js-weak-hash py-weak-hash go-weak-hash java-weak-hash rb-weak-hash'],
  [[327, 328, 916], 'php-weak-password-hash'],
  [[327], 'java-weak-cipher kt-weak-cipher'],
  [
    [330, 338],
    'js-predictable-token py-predictable-token go-predictable-token java-predictable-token cs-predictable-token kt-predictable-token',
  ],
  [[347], 'js-jwt-none cs-token-not-signed rs-token-not-verified'],
  [[276, 732], 'js-world-writable py-world-writable go-world-writable php-world-writable sh-world-writable'],
  [[377], 'py-mktemp sh-predictable-temp c-predictable-temp'],
  [[22, 23], 'js-path-from-request js-path-served py-path-from-request go-path-from-request java-path-from-request'],
  [[98], 'php-include-request'],
  [[1321], 'js-merge-prototype js-set-by-path-prototype js-two-keys-prototype'],
  [[1333], 'js-slow-pattern py-slow-pattern java-slow-pattern js-quadratic-pattern'],
  [[611], 'cs-xml-external-entity'],
  [[915], 'rb-mass-assignment'],
  [[470], 'rb-dispatch-from-params'],
  [[489], 'js-debugger py-breakpoint rb-breakpoint cs-debugger'],
  [[94, 489], 'py-debug-server'],
  [
    [390, 391, 703],
    'js-empty-catch py-swallowed-exception java-empty-catch php-empty-catch cs-empty-catch kt-empty-catch',
  ],
  [[252, 703], 'go-unchecked-error go-discarded-error'],
  [[120, 242], 'c-gets'],
  [[120], 'c-copy-into-fixed-buffer c-scan-without-width'],
  [[134], 'c-format-from-variable'],
  [[562], 'c-return-local'],
  [[259, 798], 'tf-secret sql-password docker-fixed-password'],
];

/** All rules for secrets. */
const SECRET = /^secret-/;
const OF_SECRETS = [259, 321, 798];

export const OF_RULE: ReadonlyMap<string, readonly number[]> = new Map(
  WEAKNESSES.flatMap(([cwes, rules]) => rules.split(' ').map((rule) => [rule, cwes] as const)),
);

/** The numbers of the weaknesses; empty if they are not known. */
export const weaknessesOf = ({ rule: { id }, cwes }: Pick<RuleHit, 'rule' | 'cwes'>): readonly number[] =>
  cwes ?? OF_RULE.get(id) ?? (SECRET.test(id) ? OF_SECRETS : []);
