/** English texts of the vendors that components follow. */

export const vendor = {
  title: "Vendor's report",
  pending: 'The page is being read.',
  noData: 'No data',
  url: "Vendor's status page",
  urlHint:
    'Address of a status page (Statuspage, incident.io, Instatus and others), of its JSON, or of an RSS or Atom feed; empty: none',
  component: "Vendor's component",
  componentHint: 'Name or id; empty: the whole page',
  mode: 'Effect of the report',
  modes: {
    mirror: 'Mirror the status',
    draft: 'Draft an incident',
    note: 'Note only',
  },
  modeHints: {
    mirror: 'The status of the component follows the vendor.',
    draft:
      'A disruption at the vendor creates an incident draft; status pages do not show the report.',
    note: 'Status pages show the report next to the component; its status does not change.',
  },
  errors: {
    blocked: 'The address is not public',
    dns_error: 'The host name was not found',
    connect_error: 'The server does not accept connections',
    tls_error: 'The certificate is not valid',
    protocol_error: 'The response is not valid',
    timeout: 'No response in time',
    too_large: 'The document is larger than 2 MiB',
    too_complex: 'The document is too complex',
    too_many_redirects: 'Too many redirects',
    error_response: 'The server responded with an error',
    unknown_format: 'The document has no known format',
    component_not_found: 'The page has no such component',
  },
}
