type Environment = Readonly<Record<string, string | undefined>>;

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== '';

/**
 * Off, unless the standard variables name an exporter or where to export to.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export const wantsTracing = (env: Environment): boolean => {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  const exporter = env['OTEL_TRACES_EXPORTER'];
  return isSet(exporter) ? exporter?.trim() !== 'none' : ENDPOINTS.some((name) => isSet(env[name]));
};
