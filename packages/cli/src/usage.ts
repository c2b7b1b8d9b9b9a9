/** What --help prints. */

export const USAGE = `Configuration as code for a status page.

  statusctl login --url <url>     keep the address and an API key (asked for on standard input)
  statusctl logout                forget them
  statusctl validate <file>       look at the document alone
  statusctl diff <file>           what an apply would change          [--prune] [--json]
  statusctl apply <file>          make it so                          [--dry-run] [--prune] [--json]
  statusctl export                the present state as a document     [-o <file>]
  statusctl drift                 what differs from the last apply    [--json]
  statusctl import statuspage <url|file>   take over another page    [--dry-run] [--subscribers <csv>]
  statusctl sync                  fetch from Git now, and wait        [--json]

<file> is a path, or - for standard input.

  --url <url>    STATUSCTL_URL    address of the status page service
                 STATUSCTL_KEY    API key, in the place of the one that login kept
  --json                          the server's answer in the place of a plan
  --prune                         delete what an earlier apply made and the document lacks

Exit codes: 0 done, or no differences; 1 an error, or an invalid document;
2 differences (diff, drift and apply --dry-run).
`
