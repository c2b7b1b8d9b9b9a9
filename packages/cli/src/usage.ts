/** Text that `--help` prints. */

export const USAGE = `Manages the configuration of a status page as code.

  statusctl login --url <url>    store the address and an API key, read from standard input
  statusctl logout               delete the stored address and key
  statusctl validate <file>      validate the document alone          [--json]
  statusctl diff <file>          show what an apply would change      [--prune] [--json]
  statusctl apply <file>         apply a document, all or nothing     [--dry-run] [--prune] [--json]
  statusctl export               print the current state as document  [-o <file>]
  statusctl drift                show differences to the last apply   [--json]
  statusctl import statuspage <url|file>  import another page  [--dry-run] [--subscribers <csv>]
  statusctl sync                 fetch from Git and wait for the end  [--json]

<file> is a path, or - for standard input.

  --url <url>    STATUSCTL_URL    address of the status page service
                 STATUSCTL_KEY    API key; takes precedence over the stored one
  --json                          print the reply of the server instead of a plan
  --prune                         delete what an earlier apply created and the document lacks

Exit codes: 0 success, or no differences; 1 an error, or an invalid document;
2 differences (diff, drift and apply --dry-run).
`
