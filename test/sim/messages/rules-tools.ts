/** Tool definitions and cache breakpoints. */
import { type ApiProblem, invalid } from './api-problem.ts';
import type { PromptRequest } from './request.ts';
import { segmentsOf } from './segments.ts';
import { turnsOf } from './turns.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MAX_BREAKPOINTS = 4;

const wellNamed = ({ tools = [] }: PromptRequest): string | null => {
  const at = tools.findIndex(({ name }) => !NAME.test(name));
  if (at !== -1) return `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  return new Set(tools.map(({ name }) => name)).size === tools.length ? null : 'tools: Tool names must be unique.';
};

const choiceExists = ({ tools = [], tool_choice }: PromptRequest): string | null => {
  if (tool_choice === undefined || tool_choice.type === 'none') return null;
  if (tools.length === 0) return 'tool_choice may only be specified while providing tools.';
  if (tool_choice.type !== 'tool' || tools.some(({ name }) => name === tool_choice.name)) return null;
  return `Tool '${tool_choice.name}' not found in provided tools`;
};

const fewBreakpoints = (request: PromptRequest): string | null => {
  const found = segmentsOf(request).filter(({ breakpoint }) => breakpoint !== null).length;
  return found <= MAX_BREAKPOINTS ? null : `A maximum of 4 blocks with cache_control may be provided. Found ${found}.`;
};

const longLivedFirst = (request: PromptRequest): string | null => {
  const ttls = segmentsOf(request).flatMap(({ breakpoint }) => (breakpoint === null ? [] : [breakpoint]));
  const [firstShort, lastLong] = [ttls.indexOf('5m'), ttls.lastIndexOf('1h')];
  return firstShort === -1 || lastLong < firstShort
    ? null
    : "cache_control: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.";
};

const noBreakpointOnEmptyText = (request: PromptRequest): string | null => {
  const empty = turnsOf(request)
    .flatMap(({ blocks }) => blocks)
    .find(({ block }) => block.type === 'text' && block.text === '' && block.cache_control);
  return empty === undefined ? null : `${empty.place}.text: cache_control cannot be set for empty text blocks`;
};

const RULES = [wellNamed, choiceExists, fewBreakpoints, longLivedFirst, noBreakpointOnEmptyText];

export const checkTools = (request: PromptRequest): ApiProblem | null => {
  for (const rule of RULES) {
    const message = rule(request);
    if (message !== null) return invalid(message);
  }
  return null;
};
