import { expect, test } from 'vitest';
import { isCallersText } from '../../../../shared/rules/patterns/callers-text.ts';

test.each([
  ['a parameter', 'export function f(text) {', 'text', true],
  ['a parameter of a function that another one calls', 'module.exports = g;\nfunction f(text) {', 'text', true],
  ['a parameter of a method', 'module.exports = A;\nA.prototype.f = function (text) {', 'text', true],
  ['what is called on a parameter', 'exports.f = (text) => {', 'text.trim().toLowerCase()', true],
  ['what a parameter is converted to', 'exports.f = (text) => {', 'String(text)', true],
  ['a parameter that is changed', 'exports.f = function (text) {\n  text = text.trim();', 'text', true],
  [
    'what another function makes of it',
    'exports.f = function (text) {\n  const parts = split("a", text);',
    'parts.body',
    true,
  ],
  ['a choice', 'exports.f = function (text) {\n  const first = a ? text : "b";', 'first', true],
  ['data of a request', '', "req.headers['x-forwarded-for']", true],
  ['a value of a request', 'const name = req.query.name;', 'name', true],
  ['a parameter after a comment', 'exports.f = function (a /* : string */, text /* : string */) {', 'text', true],
  ['a parameter of a function that a module keeps', 'export const a = 1;\nfunction f(text) {', 'text', false],
  ['a parameter of a function that a list exports', 'export { f };\nfunction f(text) {', 'text', true],
  ['a parameter of a function in a long list', 'export {\n  f,\n};\nfunction f(text) {', 'text', true],
  ['a parameter of a script', 'function f(text) {', 'text', false],
  ['a setting', 'export default (options) => {', 'options.folder', false],
  ['an item', 'export default (options) => {', 'options["folder"]', false],
  ['a line of an own file', 'exports.f = function () {\n  lines.forEach(function (line) {', 'line', false],
  ['a variable of the environment', 'exports.f = () => {\n  const value = process.env[name];', 'value', false],
  ['what nobody passes', 'exports.f = () => {\n  const value = read();', 'value', false],
  ['a text with the name of a parameter', 'exports.f = (text) => {\n  const value = find("text");', 'value', false],
  ['a very long text', 'exports.f = (text) => {', `"${'a'.repeat(3_000)}" + text`, false],
])('of %s, knows whether somebody else chooses it', (_, above, code, expected) => {
  const lines = [...above.split('\n'), `    use(${code});`];
  expect(isCallersText(code, { lines, line: lines.length, language: 'JavaScript' })).toBe(expected);
});
