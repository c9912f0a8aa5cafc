/** The few names that worlds know, so that two of them that differ in names only are one state. */
import { CommitSha, RunId } from '../../../shared/vocabulary/ids.ts';

const shaOf = (digit: string): CommitSha => CommitSha.parse(`${'0'.repeat(39)}${digit}`);
const idOf = (digit: string): RunId => RunId.parse(`explored00000${digit}`);

/** The head as the forge has it now. */
export const H0 = shaOf('0');
/** Heads that something at work is about. */
export const AT_WORK: readonly CommitSha[] = ['1', '2', '3', '4'].map(shaOf);
/** Any that has been reviewed. */
export const PAST = shaOf('e');
/** Any that was handed off instead. */
export const CLOSED = shaOf('d');
/** Any other: nobody compares it with anything. */
export const GONE = shaOf('c');
/** The present head, once it is no longer that. */
export const NEW = shaOf('f');
/** One that stands nowhere. */
export const UNSEEN = shaOf('b');

export const HEAD = /0{39}[0-9a-f]/g;

export const RUN = idOf('1');
export const FIX = idOf('2');
export const OLD = idOf('3');
/** For the two passes of one attendance. */
export const FRESH: readonly RunId[] = [idOf('4'), idOf('5')];

export const RUN_ID = /explored00000\d/g;

/** The newest comment that waits, any older one, and one that comes. */
export const NOTE = 50;
export const OLD_NOTE = 40;
export const NEW_NOTE = 60;
