/** List of the status pages. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { PageResource } from './page-draft.ts'
import { statusPageListQuery } from './queries.ts'

const PAGE_SIZE = 50

export const PagesScreen = () => {
  const { statusPages: texts } = useTexts()
  const { can } = useSession()
  const { plural } = useFormats()
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(statusPageListQuery(page, PAGE_SIZE))
  const add = can('STATUS_PAGES_CREATE') && (
    <Link to="/pages/new" className={buttonClass('primary')}>
      {texts.add}
    </Link>
  )
  if (data === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  const { total } = data.meta
  if (total === 0) {
    return (
      <Screen title={texts.title}>
        <Empty title={texts.empty} hint={texts.emptyHint}>
          {add}
        </Empty>
      </Screen>
    )
  }
  return (
    <Screen title={texts.title} aside={add}>
      <Card title={plural(texts.count, total)}>
        <ul>
          {data.data.map((one) => (
            <PageRow key={one.id} page={one} />
          ))}
        </ul>
      </Card>
      <Pagination page={page} total={total} pageSize={PAGE_SIZE} onChange={setPage} />
    </Screen>
  )
}

const PageRow = ({ page }: { page: PageResource }) => {
  const { statusPages: texts, actions } = useTexts()
  const { labelled } = useFormats()
  const { id, name, url, isPublished, visibility, customDomain, customDomainStatus } = page
  const domain =
    customDomain === null ? null : labelled(customDomain, texts.domain.states[customDomainStatus])
  return (
    <ListRow
      state={isPublished ? 'ok' : 'none'}
      title={
        <Link to="/pages/$id" params={{ id }}>
          {name}
        </Link>
      }
      facts={[
        isPublished ? texts.published : texts.unpublished,
        texts.visibilities[visibility],
        withoutScheme(url),
        domain,
      ]}
      actions={
        isPublished && (
          <a
            className={buttonClass()}
            href={url}
            target="_blank"
            rel="noreferrer"
            aria-label={labelled(actions.openPage, name)}
          >
            {actions.openPage}
          </a>
        )
      }
    />
  )
}

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')
