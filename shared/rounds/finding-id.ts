import type { FindingId } from './vocabulary.ts';

export const formatFindingId = (number: number): FindingId => `F-${String(number).padStart(3, '0')}`;

export const findingNumber = (id: FindingId): number => Number(id.slice(2));
