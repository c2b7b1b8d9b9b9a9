/** Routes of an alert intake: labels that select alerts, and the components of their incidents. */
import { useQuery } from '@tanstack/react-query'
import { impacts } from '../api/contract.ts'
import { allComponentsQuery } from '../components/queries.ts'
import { Actions, CardBody, Fields, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextAreaField } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { LazyAddComboBox } from '../kit/lazy-combo-box.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { newRoute, type RouteValues } from './alert-values.ts'

const MAX_ROUTES = 50

interface AlertRoutesProps {
  routes: readonly RouteValues[]
  isReadOnly: boolean
  onChange(routes: RouteValues[]): void
}

export const AlertRoutes = ({ routes, isReadOnly, onChange }: AlertRoutesProps) => {
  const { alerts: texts } = useTexts().integrations
  const { fill } = useFormats()
  return (
    <Fields>
      <h3>{texts.routes}</h3>
      <Hint>{texts.routesHint}</Hint>
      {routes.map((route, index) => (
        <Route
          key={index}
          title={fill(texts.route, { number: index + 1 })}
          route={route}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange(routes.map((one, at) => (at === index ? next : one)))}
          onRemove={() => onChange(routes.filter((_one, at) => at !== index))}
        />
      ))}
      {!isReadOnly && routes.length < MAX_ROUTES && (
        <Actions>
          <Button onPress={() => onChange([...routes, newRoute])}>{texts.addRoute}</Button>
        </Actions>
      )}
    </Fields>
  )
}

interface RouteProps {
  title: string
  route: RouteValues
  isReadOnly: boolean
  onChange(route: RouteValues): void
  onRemove(): void
}

const Route = ({ title, route, isReadOnly, onChange, onRemove }: RouteProps) => {
  const { integrations, impacts: impactNames } = useTexts()
  const { alerts: texts } = integrations
  const { fill } = useFormats()
  const remove = fill(texts.removeComponent, { name: title })
  return (
    <Card
      title={title}
      aside={
        !isReadOnly && (
          <Button emphasis="quiet" onPress={onRemove} aria-label={remove}>
            <Icon name="cross" />
          </Button>
        )
      }
    >
      <CardBody>
        <TextAreaField
          label={texts.labels}
          hint={texts.labelsHint}
          rows={2}
          value={route.labels}
          onChange={(labels) => onChange({ ...route, labels })}
          isReadOnly={isReadOnly}
        />
        <RouteComponents
          ids={route.componentIds}
          isReadOnly={isReadOnly}
          onChange={(componentIds) => onChange({ ...route, componentIds })}
        />
        <Select
          label={texts.impact}
          options={impacts.map((value) => ({ value, label: impactNames[value] }))}
          value={route.impact}
          isDisabled={isReadOnly}
          onChange={(impact) => onChange({ ...route, impact })}
        />
      </CardBody>
    </Card>
  )
}

interface RouteComponentsProps {
  ids: readonly string[]
  isReadOnly: boolean
  onChange(ids: string[]): void
}

const RouteComponents = ({ ids, isReadOnly, onChange }: RouteComponentsProps) => {
  const { alerts: texts } = useTexts().integrations
  const { fill } = useFormats()
  const { data = [] } = useQuery(allComponentsQuery)
  const nameOf = (id: string) => data.find((one) => one.id === id)?.name ?? id
  const others = data.filter(({ id }) => !ids.includes(id))
  return (
    <Fields>
      <Actions>
        {ids.map((id) => (
          <Button
            key={id}
            emphasis="chip"
            onPress={() => onChange(ids.filter((one) => one !== id))}
            isDisabled={isReadOnly}
            aria-label={fill(texts.removeComponent, { name: nameOf(id) })}
          >
            <bdi>{nameOf(id)}</bdi> {!isReadOnly && <Icon name="cross" />}
          </Button>
        ))}
      </Actions>
      {!isReadOnly && (
        <LazyAddComboBox
          label={texts.addComponent}
          options={others.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => onChange([...ids, id])}
        />
      )}
    </Fields>
  )
}
