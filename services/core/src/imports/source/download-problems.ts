/** Texts of failed downloads from the source of an import, for messages and warnings. */
import type { OutboundError } from '@status-page/contracts'

export const downloadProblems: Record<OutboundError, string> = {
  blocked: 'the address is not permitted',
  dns_error: 'the host name was not found',
  connect_error: 'the server does not accept connections',
  tls_error: 'the certificate of the server is not valid',
  protocol_error: 'the response is not valid HTTP',
  timeout: 'the server did not respond in time',
  too_large: 'the response is too large',
}
