/** The packages of bull-board, which are optional and loaded only here. */
import { PackagesMissingError } from '../../../shared/runtime/packages-missing.ts';

/** bull-board is switched on, but its packages are missing. */
export class BullBoardNotInstalledError extends PackagesMissingError {
  constructor(cause: unknown) {
    super({
      code: 'BULL_BOARD_NOT_INSTALLED',
      what: 'bull-board is switched on by console.bull_board',
      packages: ['@bull-board/api@9.10', '@bull-board/ui@9.10'],
      orElse: 'set console.bull_board = false',
      cause,
    });
  }
}

const importPackages = async () => {
  const [{ createBullBoard }, { BullMQAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
  ]);
  return { createBullBoard, BullMQAdapter };
};

export type BullBoardPackages = Awaited<ReturnType<typeof importPackages>>;

/** @throws BullBoardNotInstalledError */
export const loadPackages = async (load = importPackages): Promise<BullBoardPackages> =>
  load().catch((cause: unknown) => {
    throw new BullBoardNotInstalledError(cause);
  });
