import { describe, expect, it } from 'vitest';
import { readOwnMarkers } from '../../../../shared/rounds/memory/own-markers.ts';
import { markerOfNewer } from '../../text/marker-fixture.ts';
import * as make from '../builders.ts';

const read = (body: string, by: number) =>
  readOwnMarkers({
    comments: [make.comment('a plain comment'), make.comment(body, { author: { id: by, login: 'somebody' } })],
    key: make.KEY,
    botIds: new Set([make.BOT_ID]),
    secrets: [make.SECRET],
  });

describe('a marker that another version wrote', () => {
  it('is refused in words, because whoever ignored it would say everything twice', () => {
    expect(() => read(markerOfNewer(make.SECRET), make.BOT_ID)).toThrow(
      expect.objectContaining({
        code: 'MARKER_OF_OTHER_VERSION',
        message: expect.stringContaining('run that version or a newer one, or delete the comments of the bot'),
        disposition: { kind: 'retry_after', delayMs: 60_000 },
      }),
    );
  });

  it('stops nothing if another account shows it, or if nobody of ours signed it', () => {
    expect(read(markerOfNewer(make.SECRET), make.AUTHOR_ID)).toEqual({ own: [], foreign: false });
    expect(read(markerOfNewer('a secret of somebody else'), make.BOT_ID)).toEqual({ own: [], foreign: false });
    expect(read('<!-- fixpoint:2 QUJD', make.BOT_ID)).toEqual({ own: [], foreign: false });
  });
});
