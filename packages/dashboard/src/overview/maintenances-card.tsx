/** Maintenances in progress and those of the next 24 hours. */
import type { Schemas } from '@status-page/client'
import { Link } from '@tanstack/react-router'
import { ListRow } from '../kit/list-row.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'

export const MaintenancesCard = ({ maintenances }: Pick<Schemas['Overview'], 'maintenances'>) => {
  const { overview: texts, ...names } = useTexts()
  const { fill, time } = useFormats()
  if (maintenances === null) return null
  const { active, upcoming } = maintenances
  const items = [...active.items, ...upcoming.items]
  return (
    <ListCard title={texts.maintenances} total={active.total + upcoming.total} shown={items.length}>
      {items.map((maintenance) => (
        <ListRow
          key={maintenance.id}
          state="work"
          title={
            <Link to="/maintenances/$id" params={{ id: maintenance.id }}>
              {maintenance.title}
            </Link>
          }
          facts={[
            names.maintenances[maintenance.status],
            maintenance.startedAt === null
              ? fill(texts.starts, { time: time(maintenance.scheduledFor) })
              : fill(texts.ends, { time: time(maintenance.scheduledUntil) }),
          ]}
        />
      ))}
    </ListCard>
  )
}
