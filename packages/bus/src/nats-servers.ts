/** Servers of a NATS cluster, from the setting with their URLs. */

const PROTOCOLS = ['nats:', 'tls:']
const MAX_SERVERS = 10

/** URLs of the setting, separated by commas; throws a sentence that contains no part of them. */
export const natsServersOf = (text: string): string[] => {
  const servers = text.split(',').map((server) => {
    const trimmed = server.trim()
    return trimmed.includes('://') ? trimmed : `nats://${trimmed}`
  })
  const isValid = (server: string) =>
    URL.canParse(server) &&
    PROTOCOLS.includes(new URL(server).protocol) &&
    new URL(server).hostname !== ''
  if (servers.length > MAX_SERVERS || !servers.every(isValid)) {
    throw new Error(
      'it must be nats://user:password@host:4222 (tls:// requires TLS), or at most ' +
        `${MAX_SERVERS} such addresses, separated by commas`,
    )
  }
  return servers
}
