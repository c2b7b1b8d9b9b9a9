/** Bitbucket Cloud and Data Center: X-Hub-Signature with SHA-256, and pull requests of two APIs. */
import { verifySignature } from '@status-page/secrets'
import { askApi, linkIn, originOf, queryOf } from './api.ts'
import {
  type Asking,
  at,
  headerOf,
  listAt,
  type Meaning,
  type Proposed,
  type Provider,
  refOf,
} from './provider.ts'

const CLOUD = 'https://bitbucket.org'
export const CLOUD_API = 'https://api.bitbucket.org/2.0'

export const bitbucket: Provider = {
  isSigned: ({ headers, body }, secrets) =>
    verifySignature({
      secrets,
      body,
      prefix: 'sha256=',
      header: headerOf(headers, 'x-hub-signature'),
    }),
  deliveryOf: (headers) => headerOf(headers, 'x-request-uuid') ?? null,
  meaningOf: (headers, body, branch) => {
    const meaning = meanings[headerOf(headers, 'x-event-key') ?? '']
    return meaning?.(body, branch) ?? 'other'
  },
  tokenUser: 'x-token-auth',
  propose: (asking) =>
    originOf(asking.remote) === CLOUD ? proposeToCloud(asking, CLOUD_API) : proposeToServer(asking),
}

/** The first is the Cloud's, the others are the Data Center's. */
const meanings: Record<string, (body: unknown, branch: string) => Meaning> = {
  'repo:push': (body, branch) =>
    listAt(body, 'push', 'changes').some(
      (change) => at(change, 'new', 'type') === 'branch' && at(change, 'new', 'name') === branch,
    )
      ? 'push'
      : 'other',
  'repo:refs_changed': (body, branch) =>
    listAt(body, 'changes').some(
      (change) => at(change, 'ref', 'id') === refOf(branch) && at(change, 'type') !== 'DELETE',
    )
      ? 'push'
      : 'other',
  'diagnostics:ping': () => 'ping',
}

export const proposeToCloud = async (asking: Asking, api: string): Promise<Proposed> => {
  const { outbound, remote, token, branch, base, title, description } = asking
  const requests = `${api}/repositories/${remote.name}/pullrequests`
  const headers = { authorization: `Bearer ${token}` }
  // Names of branches that are ours or judged: no quote is in them.
  const q = `state="OPEN" AND source.branch.name="${branch}" AND destination.branch.name="${base}"`
  const found = await askApi(outbound, {
    method: 'GET',
    url: `${requests}?${queryOf({ q })}`,
    headers,
  })
  const number = at(listAt(found, 'values')[0], 'id')
  const told = { title, description }
  const ends = {
    source: { branch: { name: branch } },
    destination: { branch: { name: base } },
  }
  const made =
    typeof number === 'number'
      ? { method: 'PUT' as const, url: `${requests}/${number}`, body: told }
      : {
          method: 'POST' as const,
          url: requests,
          body: { ...told, ...ends, close_source_branch: true },
        }
  const answer = await askApi(outbound, { ...made, headers })
  return { url: linkIn(at(answer, 'links', 'html', 'href')) }
}

/** `scm/KEY/slug` as its clone URLs have it. */
const proposeToServer = async (asking: Asking): Promise<Proposed> => {
  const { outbound, remote, token, branch, base, title, description } = asking
  const [slug = '', key = ''] = remote.name.split('/').reverse()
  const place = `projects/${encodeURIComponent(key)}/repos/${encodeURIComponent(slug)}`
  const requests = `${originOf(remote)}/rest/api/1.0/${place}/pull-requests`
  const headers = { authorization: `Bearer ${token}` }
  const open = queryOf({ direction: 'OUTGOING', state: 'OPEN', at: refOf(branch) })
  const found = await askApi(outbound, { method: 'GET', url: `${requests}?${open}`, headers })
  const known = listAt(found, 'values').find((one) => at(one, 'toRef', 'id') === refOf(base))
  const told = { title, description }
  const made =
    known === undefined
      ? {
          method: 'POST' as const,
          url: requests,
          body: { ...told, fromRef: { id: refOf(branch) }, toRef: { id: refOf(base) } },
        }
      : {
          method: 'PUT' as const,
          url: `${requests}/${at(known, 'id')}`,
          body: { ...told, version: at(known, 'version') },
        }
  const answer = await askApi(outbound, { ...made, headers })
  return { url: linkIn(at(listAt(answer, 'links', 'self')[0], 'href')) }
}
