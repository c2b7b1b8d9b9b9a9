/** The operations of configuration as code. */
import {
  type ConfigSource,
  configurationOperations,
  listReply,
  notFound,
} from '@status-page/contracts'
import { type Call, type Route, raw, route } from '@status-page/service'
import { applyDocument } from './apply.ts'
import type { Applicant, ApplyRequest, ConfigurationDeps } from './prepare.ts'
import { exportDocument, measureDrift } from './reports.ts'
import { presentDocument, presentVersion } from './rules.ts'
import * as store from './store.ts'
import { validateDocument } from './validate.ts'

export const configurationRoutes = (deps: ConfigurationDeps): Route[] =>
  route(configurationOperations, {
    validate: (call) => validateDocument(deps, askerOf(call), call.body),

    apply: (call) => applyDocument(deps, asked(call, call.body, { kind: 'api', versionId: null })),

    export: async (call) => {
      const body = await exportDocument(deps, askerOf(call))
      return raw({ contentType: 'application/yaml; charset=utf-8', body })
    },

    drift: (call) => measureDrift(deps, askerOf(call)),

    versions: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listVersions(scope, query))
      return listReply(query, total, rows.map(presentVersion))
    },

    readVersion: async (call) => presentDocument(await findOne(call)),

    rollback: async (call) => {
      const { id: versionId, document } = await findOne(call)
      return applyDocument(deps, asked(call, document, { kind: 'rollback', versionId }))
    },
  })

type Asking = Pick<Call, 'organizationId' | 'actor' | 'caller'>

const askerOf = ({ organizationId, actor, caller }: Asking): Applicant => ({
  organizationId,
  actor,
  grants: caller.grants,
})

const asked = (
  call: Asking & { query: { dryRun: boolean; prune: boolean } },
  text: string,
  source: { kind: ConfigSource; versionId: string | null },
): ApplyRequest => ({
  ...askerOf(call),
  text,
  source: { ...source, commit: null },
  isDryRun: call.query.dryRun,
  isPruning: call.query.prune,
})

const findOne = async ({ params, read }: { params: { id: string } } & Pick<Call, 'read'>) => {
  const row = await read((scope) => store.findVersion(scope, params.id))
  if (row === null) throw notFound()
  return row
}
