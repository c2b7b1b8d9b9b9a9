/** Applied documents, newest first. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { membersQuery } from '../api/queries.ts'
import { Problem } from '../app/problem.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ConfigurationFrame } from './configuration-frame.tsx'
import { type AppliedVersion, VERSIONS_PER_PAGE, versionsQuery } from './queries.ts'

export const VersionsScreen = () => (
  <ConfigurationFrame>
    <Versions />
  </ConfigurationFrame>
)

const Versions = () => {
  const { configuration: texts } = useTexts()
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(versionsQuery(page))
  if (data === undefined) {
    return error === null ? <Skeleton /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (total === 0) return <Empty title={texts.versions.empty} hint={texts.versions.emptyHint} />
  return (
    <>
      <Card title={texts.versions.title} count={String(total)}>
        <ul>
          {data.data.map((version, index) => (
            <VersionRow key={version.id} version={version} isLatest={page === 1 && index === 0} />
          ))}
        </ul>
      </Card>
      <Pagination page={page} total={total} pageSize={VERSIONS_PER_PAGE} onChange={setPage} />
    </>
  )
}

interface VersionRowProps {
  version: AppliedVersion
  isLatest: boolean
}

const VersionRow = ({ version, isLatest }: VersionRowProps) => {
  const { configuration: texts } = useTexts()
  const { fill } = useFormats()
  const facts = useVersionFacts(version)
  return (
    <ListRow
      state={isLatest ? 'ok' : 'none'}
      title={
        <Link to="/configuration/versions/$id" params={{ id: version.id }}>
          {fill(texts.versions.version, { version: version.configVersion })}
        </Link>
      }
      facts={[isLatest ? texts.versions.latest : null, ...facts]}
    />
  )
}

/** Time, source, author and number of changes of a version. */
export const useVersionFacts = (version: AppliedVersion): (string | null)[] => {
  const { configuration: texts } = useTexts()
  const { fill, number, time } = useFormats()
  const { can } = useSession()
  const members = useQuery({ ...membersQuery, enabled: can('ORGANIZATION_VIEW') })
  const { name, source, commit, appliedBy, changes, createdAt } = version
  const author = members.data?.data.find(({ userId }) => userId === appliedBy)
  const { created, updated, deleted } = changes
  return [
    time(createdAt),
    name,
    texts.versions.sources[source],
    commit?.slice(0, COMMIT_LENGTH) ?? null,
    author?.name ?? null,
    fill(texts.versions.changes, {
      created: number(created),
      updated: number(updated),
      deleted: number(deleted),
    }),
  ]
}

/** Characters of a commit that Git shows, too. */
const COMMIT_LENGTH = 7
