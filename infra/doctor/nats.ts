/** Check of NATS: connection, JetStream, stream of the events and one round trip. */
import { checkNats, type NatsFaultKind } from '@status-page/bus'
import { type Diagnosis, failed, ok, reasonOf, skipped, warning } from './finding.ts'
import type { Settings } from './settings.ts'

const TIMEOUT_MS = 2_000
const MIB = 1024 * 1024

const faults: Record<NatsFaultKind, { message(reason: string): string; remedy: string }> = {
  unreachable: {
    message: (reason) => `NATS does not respond: ${reason}. Events travel through Postgres.`,
    remedy: 'Start the server, or correct NATS_URL; services reconnect by themselves.',
  },
  certificate: {
    message: (code) => `The certificate of NATS cannot be verified (${code}).`,
    remedy: 'Set NATS_CA to the authority of the server, or renew its certificate.',
  },
  credentials: {
    message: (reason) => `NATS refused the user: ${reason}.`,
    remedy:
      'Use the users of `nats-permissions`, with the passwords NATS_PASSWORD_… of the server.',
  },
  no_jetstream: {
    message: () => 'The NATS server has no JetStream.',
    remedy: 'Add `jetstream {}` to its configuration.',
  },
  no_stream: {
    message: (stream) => `The stream ${stream} does not exist.`,
    remedy: 'Start the services, which create it, and compare NATS_PREFIX with theirs.',
  },
  no_leader: {
    message: (stream) => `The stream ${stream} has no leader.`,
    remedy: 'Start the missing servers of the cluster: a majority elects the leader.',
  },
  no_response: {
    message: (reason) => `JetStream does not respond: ${reason}.`,
    remedy:
      'Check the disk of the NATS server, which needs a restart after its disk was full, and its ' +
      'permissions: `nats-permissions` prints them.',
  },
}

export const checkBus = async (settings: Settings): Promise<Diagnosis[]> => {
  const { NATS_URL: url } = settings
  if (url === undefined || url === 'none') {
    return [skipped('NATS_URL is not set: events travel through Postgres.')]
  }
  try {
    const report = await checkNats({
      url,
      prefix: settings.NATS_PREFIX,
      ca: settings.NATS_CA,
      credentialsFile: settings.NATS_CREDENTIALS,
      timeoutMs: TIMEOUT_MS,
    })
    if (!report.ok) {
      const { message, remedy } = faults[report.kind]
      return [failed(message(report.reason), remedy)]
    }
    const { version, eventStream, bytes, maxBytes, lagging } = report
    const size = `${Math.round(bytes / MIB)} of ${Math.round(maxBytes / MIB)} MiB`
    const summary = `NATS ${version} responds; the stream ${eventStream} uses ${size}.`
    if (lagging.length > 0) {
      const remedy = 'Start these servers, or check their disk.'
      return [warning(`${summary} Replicas are behind: ${lagging.join(', ')}.`, remedy)]
    }
    return [ok(summary)]
  } catch (error) {
    return [failed(`NATS_URL cannot be used: ${reasonOf(error)}.`, 'Correct NATS_URL.')]
  }
}
