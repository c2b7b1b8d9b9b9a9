/** Members with their roles, and the actions on one of them. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { ActionMenu } from '../kit/action-menu.tsx'
import { CardBody } from '../kit/arrangement.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Note } from '../kit/note.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Skeleton } from '../kit/screen.tsx'
import { SearchField } from '../kit/search-field.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ChangeRoleDialog, RemoveMemberDialog } from './member-dialogs.tsx'
import type { MemberSearch } from './member-search.ts'
import { foundMembersQuery, MEMBERS_PER_PAGE, type MemberData } from './queries.ts'
import { useRoleName } from './use-role-name.ts'

/** Pause in the input after which the list is searched. */
const SEARCH_AFTER_MS = 300

interface MembersCardProps {
  search: MemberSearch
  onChange(search: MemberSearch): void
}

export const MembersCard = ({ search, onChange }: MembersCardProps) => {
  const { people: texts } = useTexts().access
  const { number } = useFormats()
  const [done, setDone] = useState<string | null>(null)
  const { data, error, refetch } = useQuery(foundMembersQuery(search))
  return (
    <>
      <Card title={texts.members} count={data && number(data.meta.total)}>
        <CardBody>
          <MemberSearchField search={search} onChange={onChange} />
          {done !== null && <Note state="ok">{done}</Note>}
        </CardBody>
        {data === undefined ? (
          error === null ? (
            <Skeleton rows={4} />
          ) : (
            <Problem error={error} onRetry={refetch} />
          )
        ) : data.data.length === 0 ? (
          <Empty title={texts.noneFound} hint={texts.noneFoundHint} />
        ) : (
          <ul>
            {data.data.map((member) => (
              <MemberRow key={member.userId} member={member} onDone={setDone} />
            ))}
          </ul>
        )}
      </Card>
      {data !== undefined && (
        <Pagination
          page={search.page ?? 1}
          total={data.meta.total}
          pageSize={MEMBERS_PER_PAGE}
          onChange={(page) => onChange({ ...search, page })}
        />
      )}
    </>
  )
}

const MemberSearchField = ({ search: { search = '' }, onChange }: MembersCardProps) => {
  const { people: texts } = useTexts().access
  const [text, setText] = useState(search)
  useEffect(() => setText(search), [search])
  useEffect(() => {
    if (text === search) return
    const timer = setTimeout(() => onChange({ search: text || undefined }), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text, search, onChange])
  return <SearchField label={texts.search} value={text} onChange={setText} />
}

interface MemberRowProps {
  member: MemberData
  onDone(text: string): void
}

const MemberRow = ({ member, onDone }: MemberRowProps) => {
  const { people: texts } = useTexts().access
  const { fill, time } = useFormats()
  const { can, user } = useSession()
  const nameOf = useRoleName()
  const [open, setOpen] = useState<'change' | 'remove' | null>(null)
  const { userId, name, email, role, roleName, twoFactorEnabled, lastLoginAt } = member
  const actions = [
    ...(can('ORGANIZATION_UPDATE')
      ? [{ id: 'change', label: texts.change, onAction: () => setOpen('change') }]
      : []),
    ...(can('ORGANIZATION_DELETE')
      ? [{ id: 'remove', label: texts.remove, onAction: () => setOpen('remove') }]
      : []),
  ]
  const dialog = { member, onClose: () => setOpen(null), onDone }
  return (
    <ListRow
      state={twoFactorEnabled ? 'ok' : 'none'}
      title={name}
      facts={[
        userId === user.id ? texts.you : null,
        email,
        nameOf({ id: role, name: roleName }),
        twoFactorEnabled ? texts.secondFactor : texts.noSecondFactor,
        lastLoginAt === null
          ? texts.neverSignedIn
          : fill(texts.lastLogin, { time: time(lastLoginAt) }),
      ]}
      actions={
        <>
          {actions.length > 0 && (
            <ActionMenu label={fill(texts.actionsOf, { name })} isCompact actions={actions} />
          )}
          {open === 'change' && <ChangeRoleDialog {...dialog} />}
          {open === 'remove' && <RemoveMemberDialog {...dialog} />}
        </>
      }
    />
  )
}
