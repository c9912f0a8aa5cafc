import { expect, it } from 'vitest';
import { compactAtTokens } from '../../../../shared/agent/model/context-window.ts';
import { Agent } from '../../../../shared/config/agent-settings.ts';

const price = { model: 'claude-haiku-5-5', inputUsd: 1, outputUsd: 5 };

it.each<[string, object, 'reviewer' | 'explorer', number]>([
  ['the window of a known model', {}, 'reviewer', 737_712],
  ['the step in the price of a model', {}, 'explorer', 75_000],
  ["the window, with the operator's own price", { price: [price] }, 'explorer', 737_712],
  ['the default for an unknown model', { reviewer: { model: 'own-model' } }, 'reviewer', 83_712],
  ['what the operator declares', { reviewer: { model: 'own-model', contextTokens: 200_000 } }, 'reviewer', 137_712],
  ['what the operator declares for a known model', { reviewer: { contextTokens: 64_000 } }, 'reviewer', 35_712],
  ['a window smaller than the output', { reviewer: { model: 'own-model', contextTokens: 8_000 } }, 'reviewer', 3_000],
  ["the operator's threshold", { compactAtTokens: 50_000 }, 'reviewer', 50_000],
  ["the operator's threshold for explorers", { compactAtTokens: 50_000 }, 'explorer', 50_000],
])('the threshold follows %s', (_name, settings, role, tokens) => {
  expect(compactAtTokens(Agent.parse(settings), role)).toBe(tokens);
});
