/** API keys with their permissions and last use. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { membersQuery } from '../api/queries.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { OrganizationResourcesScreen } from '../app/organization-resources-screen.tsx'
import { Problem } from '../app/problem.tsx'
import { useNow } from '../composer/use-now.ts'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { accessLevelsOf } from './permissions.ts'
import { type ApiKeyData, apiKeysQuery, KEYS_PER_PAGE } from './queries.ts'
import { useResourceName } from './use-resource-name.ts'

export const KeysScreen = () => (
  <OrganizationResourcesScreen
    texts={useTexts().access.keys}
    List={KeyList}
    NewDialog={NewKeyDialog}
  />
)

const KeyList = () => {
  const { keys: texts } = useTexts().access
  const { number } = useFormats()
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(apiKeysQuery(page))
  if (data === undefined) {
    return error === null ? <Skeleton rows={4} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (total === 0) return <Empty title={texts.none} hint={texts.noneHint} />
  return (
    <>
      <Card title={texts.title} count={number(total)}>
        <ul>
          {data.data.map((apiKey) => (
            <KeyRow key={apiKey.id} apiKey={apiKey} />
          ))}
        </ul>
      </Card>
      <Pagination page={page} total={total} pageSize={KEYS_PER_PAGE} onChange={setPage} />
    </>
  )
}

const stateOf = ({ disabledAt, expiresAt, lastUsedAt }: ApiKeyData, nowMs: number): State => {
  if (disabledAt !== null || isPast(expiresAt, nowMs)) return 'down'
  return lastUsedAt === null ? 'none' : 'ok'
}

const isPast = (time: string | null, nowMs: number): boolean =>
  time !== null && Date.parse(time) <= nowMs

const KeyRow = ({ apiKey }: { apiKey: ApiKeyData }) => {
  const { keys: texts } = useTexts().access
  const { fill, time } = useFormats()
  const { can } = useSession()
  const now = useNow()
  const { data: members } = useQuery(membersQuery)
  const { name, key, permissions, expiresAt, lastUsedAt, createdBy, disabledAt } = apiKey
  const creator = members?.data.find(({ userId }) => userId === createdBy)
  const expiry = isPast(expiresAt, now) ? texts.expired : texts.until
  return (
    <ListRow
      state={stateOf(apiKey, now)}
      title={name}
      facts={[
        disabledAt === null ? null : texts.disabled,
        key,
        lastUsedAt === null ? texts.unused : fill(texts.usedAt, { time: time(lastUsedAt) }),
        expiresAt && fill(expiry, { time: time(expiresAt) }),
        creator && fill(texts.createdBy, { name: creator.name }),
        usePermissionText(permissions),
      ]}
      actions={can('ORGANIZATION_DELETE') && <RevokeButton apiKey={apiKey} />}
    />
  )
}

/** Permissions as text, such as "Incidents (read and write)". */
const usePermissionText = (permissions: readonly string[]): string => {
  const { keys: texts } = useTexts().access
  const { facts, labelled } = useFormats()
  const nameOf = useResourceName()
  const levels = Object.entries(accessLevelsOf(permissions))
  const names = levels.map(([resource, level]) => {
    return labelled(nameOf(resource), level === 'write' ? texts.write : texts.read)
  })
  return facts(names)
}

const RevokeButton = ({ apiKey: { id, name } }: { apiKey: ApiKeyData }) => {
  const { keys: texts } = useTexts().access
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const revoke = useMutation({
    mutationFn: () => api.DELETE('/api/v1/api-keys/{id}', { params: { path: { id } } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  return (
    <>
      <Button
        emphasis="danger"
        onPress={() => setOpen(true)}
        aria-label={fill(texts.revokeOf, { name })}
      >
        {texts.revoke}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={fill(texts.revokeTitle, { name })}
          confirm={texts.revoke}
          action={revoke}
          onClose={() => setOpen(false)}
        >
          <p>{texts.revokeHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
