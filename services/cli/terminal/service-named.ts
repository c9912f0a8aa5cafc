import { SERVICE_NEEDS, type ServiceName } from '../../../shared/config/service-needs.ts';
import { UsageError } from './usage-error.ts';

const isService = (text: string): text is ServiceName => Object.hasOwn(SERVICE_NEEDS, text);

/** @throws `USAGE` for an unknown service */
export const serviceNamed = (text: string): ServiceName => {
  if (isService(text)) return text;
  throw new UsageError(`there is no service "${text}"; expected ${Object.keys(SERVICE_NEEDS).join(', ')}`);
};
