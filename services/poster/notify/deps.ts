import type { NotifySettings } from '../../../shared/config/notify-settings.ts';
import type { ReceiverAccess } from '../../../shared/config/secrets.ts';
import type { ReadsProject } from '../../../shared/forge/port.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import type { NotifyAbout } from '../../../shared/notify/event.ts';
import type { Enqueue } from '../../../shared/queue/enqueue.ts';
import type { SendingMarks } from '../../../shared/store/sending-marks.ts';
import type { ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import type { Send } from './send.ts';

export type NotifyForge = {
  readonly kind: ForgeKind;
  readonly read: Pick<ReadsProject, 'fetchProject'>;
};

export type NotifyDeps = {
  readonly hooks: NotifySettings;
  /** Receivers by hook name. */
  readonly receivers: ReadonlyMap<string, ReceiverAccess>;
  readonly forges: ReadonlyMap<string, NotifyForge>;
  /** Stores what an event is about, as long as deliveries of the event may be attempted. */
  readonly abouts: {
    load(eventId: string): Promise<NotifyAbout | null>;
    save(eventId: string, about: NotifyAbout): Promise<void>;
  };
  readonly enqueue: Enqueue;
  readonly marks: SendingMarks;
  readonly send: Send;
  readonly metrics: Pick<Metrics, 'notifications'>;
  readonly nowMs: () => number;
  /** Marks a step at which a test may kill the process; does nothing in production. */
  readonly checkpoint: (step: string) => void;
};
