/** French texts of private locations and their agents. */
export const locations = {
  title: 'Emplacements privés',
  intro: 'Réseaux que le service n’atteint pas. Des agents y effectuent les vérifications.',
  none: 'Aucun emplacement privé',
  noneHint: 'Un emplacement privé permet de surveiller des composants d’un réseau interne.',
  create: 'Nouvel emplacement',
  submit: 'Créer l’emplacement',
  name: 'Nom',
  nameHint: 'Lettres minuscules, chiffres et tirets, par exemple bureau-paris',
  description: 'Description',
  statuses: {
    waiting: 'En attente du premier agent',
    active: 'Actif',
    stale: 'Sans contact',
  },
  lastContact: 'Dernier contact {time}',
  tokenUntil: 'Jeton d’inscription valable jusqu’au {time}',
  tokenExpired: 'Jeton d’inscription expiré {time}',
  agent: 'Agent {name}',
  version: 'Version {version}',
  lag: 'Retard {seconds} s',
  noPing: 'Pas de vérifications ICMP',
  actionsOf: 'Actions\u00a0: {name}',
  rotate: 'Nouveau jeton d’inscription',
  rotateTitle: 'Émettre un nouveau jeton d’inscription pour {name}\u00a0?',
  rotateHint:
    'Le jeton précédent devient aussitôt invalide. Les agents inscrits ne sont pas concernés.',
  token: 'Jeton d’inscription',
  once: 'Copiez le jeton maintenant. Il ne sera plus affiché.',
  tokenHint:
    'Enregistrez le jeton dans le fichier «\u00a0token\u00a0». Il permet d’inscrire des agents jusqu’à\u00a0: {time}.',
  command: 'Commande qui démarre un agent',
  commandHint:
    'L’option --allow indique les réseaux privés que les vérifications peuvent atteindre.',
  done: 'Terminé',
  remove: 'Supprimer',
  removeTitle: 'Supprimer l’emplacement {name}\u00a0?',
  removeHint:
    'Ses agents sont révoqués. Les résultats de leurs vérifications restent. C’est irréversible.',
  inUse: 'Des composants utilisent l’emplacement. Retirez-le d’abord de leurs paramètres.',
  revoke: 'Révoquer',
  revokeOf: 'Révoquer\u00a0: {name}',
  revokeTitle: 'Révoquer l’agent {name}\u00a0?',
  revokeHint: 'Les requêtes de l’agent sont refusées dès maintenant. C’est irréversible.',
  choiceHint:
    'Leurs agents effectuent les vérifications. Ils figurent aussi dans «\u00a0Emplacements\u00a0».',
}
