import { expect, test } from 'vitest';
import { enclosingName, nameIn } from '../../../../shared/diff/position/block-name.ts';

test.each<[string, string | null]>([
  ['export async function load(id: string) {', 'load'],
  ['function* walk() {', 'walk'],
  ['    def total(self, price):', 'total'],
  ['  def self.build(options)', 'build'],
  ['func (s *Store) Save(order Order) error {', 'Save'],
  ['func main() {', 'main'],
  ['pub fn parse<T>(text: &str) -> T {', 'parse'],
  ['class Cart extends Base {', 'Cart'],
  ['export const keep = async (order) => {', 'keep'],
  ['  onSave: (order) => {', 'onSave'],
  ['  private async send(order: Order): Promise<void> {', 'send'],
  ['public static int count(List<String> names) {', 'count'],
  ['items.forEach((item) => {', null],
  ['})', null],
  ['', null],
  ['x'.repeat(5_000), null],
])('nameIn(%j) is %j', (line, name) => {
  expect(nameIn(line)).toBe(name);
});

test.each<[string, readonly string[], string | null]>([
  ['a function', ['function a() {', '  b();'], 'a'],
  ['a method, past a condition', ['class A {', '  run(x) {', '    if (x) {', '      b();'], 'run'],
  ['Python', ['class A:', '    def run(self):', '        b()'], 'run'],
  ['a function whose arguments take several lines', ['def run(', '    a,', '):', '    b()'], null],
  ['tabs', ['func run() {', '\tb()'], 'run'],
  ['calls above', ['def run():', '    a()', '    b()'], 'run'],
  ['the top level', ['function a() {', '}', 'b();'], null],
  ['nothing', [], null],
  ['a function that is too far away', ['function a() {', ...Array<string>(450).fill('  x();'), '  b();'], null],
])('enclosingName knows %s', (_name, lines, name) => {
  expect(enclosingName(lines, lines.length)).toBe(name);
});
