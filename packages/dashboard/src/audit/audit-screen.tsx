/** Audit log with filters, which are in the address, and its export. */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, basePath } from '../api/client.ts'
import { membersQuery } from '../api/queries.ts'
import { NoPermission, Problem } from '../app/problem.tsx'
import { Actions } from '../kit/arrangement.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { AuditFiltersBar } from './audit-filters-bar.tsx'
import { type AuditFilters, PAGE_SIZE, toAuditQuery } from './filters.ts'

const route = getRouteApi('/audit')

const auditQuery = (filters: AuditFilters) =>
  queryOptions({
    queryKey: ['audit', filters],
    queryFn: async ({ signal }) => {
      const query = { ...toAuditQuery(filters), page: filters.page ?? 1, pageSize: PAGE_SIZE }
      const { data } = await api.GET('/api/v1/audit-logs', { params: { query }, signal })
      if (typeof data === 'string') throw new Error('The audit log is a file')
      return data
    },
    placeholderData: keepPreviousData,
  })

export const AuditScreen = () => {
  const { audit: texts } = useTexts().organizationScreens
  const { can } = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  if (!can('AUDIT_VIEW')) {
    return (
      <Screen title={texts.title}>
        <NoPermission />
      </Screen>
    )
  }
  return (
    <Screen title={texts.title} aside={<Exports filters={filters} />}>
      <AuditFiltersBar
        filters={filters}
        onChange={(patch) =>
          void navigate({ search: { ...filters, page: undefined, ...patch }, replace: true })
        }
        onReset={() => void navigate({ search: {} })}
      />
      <Entries
        filters={filters}
        onPage={(page) => void navigate({ search: { ...filters, page } })}
      />
    </Screen>
  )
}

/** The browser saves the reply as a file while it arrives. */
const Exports = ({ filters }: { filters: AuditFilters }) => {
  const { audit: texts } = useTexts().organizationScreens
  return (
    <Actions>
      {(['csv', 'ndjson'] as const).map((format) => (
        <a
          key={format}
          className={buttonClass()}
          href={`${basePath}/api/v1/audit-logs?${new URLSearchParams({ ...toAuditQuery(filters), format })}`}
          download=""
        >
          {texts[format]}
        </a>
      ))}
    </Actions>
  )
}

interface EntriesProps {
  filters: AuditFilters
  onPage(page: number): void
}

type Entry = Schemas['AuditLog']

const Entries = ({ filters, onPage }: EntriesProps) => {
  const { audit: texts } = useTexts().organizationScreens
  const { number } = useFormats()
  const actorOf = useActorName()
  const { data, error, refetch } = useQuery(auditQuery(filters))
  if (data === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (data.data.length === 0) return <Empty title={texts.none} hint={texts.noneHint} />
  return (
    <>
      <Card title={texts.title} count={number(total)}>
        {data.data.map((entry) => (
          <AuditEntry key={entry.id} entry={entry} actor={actorOf(entry)} />
        ))}
      </Card>
      <Pagination page={filters.page ?? 1} total={total} pageSize={PAGE_SIZE} onChange={onPage} />
    </>
  )
}

const useActorName = (): ((entry: Entry) => string) => {
  const { audit: texts } = useTexts().organizationScreens
  const { can } = useSession()
  const { data: members } = useQuery({ ...membersQuery, enabled: can('ORGANIZATION_VIEW') })
  return ({ actorType, userId }) => {
    if (actorType === 'api_key') return texts.apiKey
    if (actorType === 'config_sync') return texts.configuration
    if (actorType === 'system') return texts.system
    return members?.data.find((member) => member.userId === userId)?.name ?? texts.user
  }
}
