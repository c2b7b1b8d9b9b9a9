/** Service levels whose error budget is exceeded or nearly used up. */
import type { Schemas } from '@status-page/client'
import { Link } from '@tanstack/react-router'
import { ListRow } from '../kit/list-row.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'

export const ServiceLevelsCard = ({ slas }: Pick<Schemas['Overview'], 'slas'>) => {
  const { overview: texts } = useTexts()
  if (slas === null) return null
  const { breached, atRisk } = slas
  const shown = breached.items.length + atRisk.items.length
  return (
    <ListCard title={texts.serviceLevels} total={breached.total + atRisk.total} shown={shown}>
      {breached.items.map(({ id, name }) => (
        <ListRow
          key={id}
          state="down"
          title={<ServiceLevelLink id={id} name={name} />}
          facts={[texts.breached]}
        />
      ))}
      {atRisk.items.map(({ id, name }) => (
        <ListRow
          key={id}
          state="slow"
          title={<ServiceLevelLink id={id} name={name} />}
          facts={[texts.atRisk]}
        />
      ))}
    </ListCard>
  )
}

const ServiceLevelLink = ({ id, name }: { id: string; name: string }) => (
  <Link to="/service-levels/$id" params={{ id }}>
    {name}
  </Link>
)
