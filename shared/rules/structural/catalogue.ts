import type { StructuralRule } from '../model/rule.ts';
import { CI_STRUCTURE_RULES } from './ci.ts';
import { C_FAMILY_RULES } from './compiled/c-family.ts';
import { C_STRING_RULES } from './compiled/c-strings.ts';
import { C_SHARP_RULES } from './compiled/c-sharp.ts';
import { C_SHARP_SECURITY_RULES } from './compiled/c-sharp-security.ts';
import { CPP_RULES } from './compiled/cpp.ts';
import { GO_CORRECTNESS_RULES } from './go-correctness.ts';
import { GO_SECURITY_RULES } from './go-security.ts';
import { JAVA_CORRECTNESS_RULES } from './java-correctness.ts';
import { JAVA_SECURITY_RULES } from './java-security.ts';
import { JAVASCRIPT_CORRECTNESS_RULES } from './javascript-correctness.ts';
import { JAVASCRIPT_INJECTION_RULES } from './javascript-injection.ts';
import { MERGE_PROTOTYPE_RULES } from './javascript/merge-prototype.ts';
import { SET_BY_PATH_RULES } from './javascript/set-by-path.ts';
import { TWO_KEYS_RULES } from './javascript/two-keys.ts';
import { JAVASCRIPT_SECURITY_RULES } from './javascript-security.ts';
import { JAVASCRIPT_SHELL_RULES } from './javascript/shell.ts';
import { SHELL_PARAMETER_RULES } from './javascript/shell-parameters.ts';
import { JAVASCRIPT_TEST_RULES } from './javascript-tests.ts';
import { KOTLIN_RULES } from './compiled/kotlin.ts';
import { KOTLIN_SECURITY_RULES } from './compiled/kotlin-security.ts';
import { PHP_CORRECTNESS_RULES } from './php/php-correctness.ts';
import { PHP_REQUEST_RULES } from './php/php-request.ts';
import { PHP_RULES } from './php/php.ts';
import { PYTHON_CORRECTNESS_RULES } from './python-correctness.ts';
import { PYTHON_INJECTION_RULES } from './python-injection.ts';
import { PYTHON_SECURITY_RULES } from './python-security.ts';
import { REQUEST_PATH_RULES } from './request-paths.ts';
import { RUBY_CORRECTNESS_RULES } from './ruby-correctness.ts';
import { RUBY_SECURITY_RULES } from './ruby-security.ts';
import { RUST_CORRECTNESS_RULES } from './compiled/rust-correctness.ts';
import { RUST_SECURITY_RULES } from './compiled/rust-security.ts';
import { QUADRATIC_PATTERN_RULES } from './quadratic-patterns.ts';
import { SHELL_RULES } from './shell/shell.ts';
import { SLOW_PATTERN_RULES } from './slow-patterns.ts';
import { TYPESCRIPT_RULES } from './typescript.ts';

export const STRUCTURAL_RULES: readonly StructuralRule[] = [
  ...JAVASCRIPT_CORRECTNESS_RULES,
  ...JAVASCRIPT_TEST_RULES,
  ...JAVASCRIPT_INJECTION_RULES,
  ...JAVASCRIPT_SHELL_RULES,
  ...SHELL_PARAMETER_RULES,
  ...JAVASCRIPT_SECURITY_RULES,
  ...TYPESCRIPT_RULES,
  ...PYTHON_CORRECTNESS_RULES,
  ...PYTHON_INJECTION_RULES,
  ...PYTHON_SECURITY_RULES,
  ...GO_CORRECTNESS_RULES,
  ...GO_SECURITY_RULES,
  ...JAVA_CORRECTNESS_RULES,
  ...JAVA_SECURITY_RULES,
  ...RUBY_CORRECTNESS_RULES,
  ...RUBY_SECURITY_RULES,
  ...PHP_RULES,
  ...PHP_REQUEST_RULES,
  ...PHP_CORRECTNESS_RULES,
  ...SHELL_RULES,
  ...C_SHARP_RULES,
  ...C_SHARP_SECURITY_RULES,
  ...RUST_CORRECTNESS_RULES,
  ...RUST_SECURITY_RULES,
  ...C_FAMILY_RULES,
  ...C_STRING_RULES,
  ...CPP_RULES,
  ...KOTLIN_RULES,
  ...KOTLIN_SECURITY_RULES,
  ...CI_STRUCTURE_RULES,
  ...REQUEST_PATH_RULES,
  ...MERGE_PROTOTYPE_RULES,
  ...SET_BY_PATH_RULES,
  ...TWO_KEYS_RULES,
  ...SLOW_PATTERN_RULES,
  ...QUADRATIC_PATTERN_RULES,
];
