/** Operations of configuration as code. */
import {
  type ConfigSource,
  configurationOperations,
  listReply,
  orNotFound,
} from '@status-page/contracts'
import { type Call, createRoutes, type Route, rawReply } from '@status-page/service'
import { applyDocument } from './apply.ts'
import type { ApplyRequest, ConfigurationDeps, Principal } from './prepare.ts'
import { exportDocument, reportDrift } from './reports.ts'
import { presentDocument, presentVersion } from './rules.ts'
import * as store from './store.ts'
import { validateDocument } from './validate.ts'

export const configurationRoutes = (deps: ConfigurationDeps): Route[] =>
  createRoutes(configurationOperations, {
    validate: (call) => validateDocument(deps, principalOf(call), call.body),

    apply: (call) =>
      applyDocument(deps, applyRequestOf(call, call.body, { kind: 'api', versionId: null })),

    export: async (call) => {
      const body = await exportDocument(deps, principalOf(call))
      return rawReply({ contentType: 'application/yaml; charset=utf-8', body })
    },

    drift: (call) => reportDrift(deps, principalOf(call)),

    versions: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listVersions(scope, query))
      return listReply(query, total, rows.map(presentVersion))
    },

    readVersion: async (call) => presentDocument(await findVersion(call)),

    rollback: async (call) => {
      const { id: versionId, document } = await findVersion(call)
      return applyDocument(deps, applyRequestOf(call, document, { kind: 'rollback', versionId }))
    },
  })

type PrincipalCall = Pick<Call, 'organizationId' | 'actor' | 'caller'>

const principalOf = ({ organizationId, actor, caller }: PrincipalCall): Principal => ({
  organizationId,
  actor,
  grants: caller.grants,
})

const applyRequestOf = (
  call: PrincipalCall & { query: { dryRun: boolean; prune: boolean } },
  text: string,
  source: { kind: ConfigSource; versionId: string | null },
): ApplyRequest => ({
  ...principalOf(call),
  text,
  source: { ...source, commit: null },
  isDryRun: call.query.dryRun,
  isPruning: call.query.prune,
})

const findVersion = async ({ params, read }: { params: { id: string } } & Pick<Call, 'read'>) =>
  orNotFound(await read((scope) => store.findVersion(scope, params.id)))
