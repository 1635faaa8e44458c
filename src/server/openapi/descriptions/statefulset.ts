/** Pure: descriptions of the fields of StatefulSets. */
export const statefulSetDescriptions: { readonly [typeOrField: string]: string } = {
  "apps/v1.StatefulSet": "Pods with stable names and storage: web-0, web-1 and so on.",
  "apps/v1.StatefulSet.spec": "The number of Pods, their template, and how they are replaced.",
  "apps/v1.StatefulSet.status":
    "The number of Pods and their revisions. Written by the controller.",
  "apps/v1.StatefulSetSpec":
    "The number of Pods with stable names, their template, and how they are replaced.",
  "apps/v1.StatefulSetSpec.minReadySeconds":
    "How long a Pod must be ready before it counts as available; 0 if left out.",
  "apps/v1.StatefulSetSpec.ordinals": "The number at which the numbering of Pods starts.",
  "apps/v1.StatefulSetSpec.persistentVolumeClaimRetentionPolicy":
    "What happens to the claims when the StatefulSet is deleted or scaled down.",
  "apps/v1.StatefulSetSpec.podManagementPolicy":
    "OrderedReady (the default) creates Pods one after another, each when the previous one " +
    "is ready, and removes them in reverse; Parallel does not wait. Immutable.",
  "apps/v1.StatefulSetSpec.replicas": "The desired number of Pods; by default 1.",
  "apps/v1.StatefulSetSpec.revisionHistoryLimit":
    "How many earlier revisions are kept; 10 if left out.",
  "apps/v1.StatefulSetSpec.selector":
    "Which Pods belong to it. Must match the labels of the template. Cannot be changed.",
  "apps/v1.StatefulSetSpec.serviceName":
    "The headless service under which each Pod has a DNS name. It must be created " +
    "separately. Cannot be changed.",
  "apps/v1.StatefulSetSpec.template": "The template of the Pods, the same for every number.",
  "apps/v1.StatefulSetSpec.updateStrategy": "How Pods are replaced when the template changes.",
  "apps/v1.StatefulSetSpec.volumeClaimTemplates":
    "Claims created for each Pod. A Pod that is created again gets its old claims.",
  "apps/v1.StatefulSetStatus": "The number of Pods of a StatefulSet and their states.",
  "apps/v1.StatefulSetStatus.availableReplicas": "Pods that have been ready for minReadySeconds.",
  "apps/v1.StatefulSetStatus.collisionCount": "How often the name of a revision already existed.",
  "apps/v1.StatefulSetStatus.conditions": "Conditions of the StatefulSet.",
  "apps/v1.StatefulSetStatus.currentReplicas": "Pods of the current revision.",
  "apps/v1.StatefulSetStatus.currentRevision":
    "The revision that Pods had before the current update.",
  "apps/v1.StatefulSetStatus.observedGeneration": "The generation that this status describes.",
  "apps/v1.StatefulSetStatus.readyReplicas": "Pods that are ready.",
  "apps/v1.StatefulSetStatus.replicas": "Pods that exist.",
  "apps/v1.StatefulSetStatus.updateRevision": "The revision Pods are being updated to.",
  "apps/v1.StatefulSetStatus.updatedReplicas": "Pods of the update revision.",
  "apps/v1.StatefulSetUpdateStrategy": "How Pods are replaced when the template changes.",
  "apps/v1.StatefulSetUpdateStrategy.rollingUpdate": "Details of RollingUpdate.",
  "apps/v1.StatefulSetUpdateStrategy.type":
    "RollingUpdate (the default) replaces Pods from the highest number down; OnDelete " +
    "waits until you delete them.",
  "apps/v1.RollingUpdateStatefulSetStrategy": "How a rolling update proceeds.",
  "apps/v1.RollingUpdateStatefulSetStrategy.maxUnavailable":
    "How many Pods may be unavailable at a time, as a number or percentage; by default 1.",
  "apps/v1.RollingUpdateStatefulSetStrategy.partition":
    "Only Pods with this number or a higher one are updated; 0 if left out.",
  "apps/v1.StatefulSetOrdinals": "How Pods are numbered.",
  "apps/v1.StatefulSetOrdinals.start": "The first number; 0 if left out.",
  "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy":
    "When claims created from volumeClaimTemplates are deleted.",
  "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted":
    "When the StatefulSet is deleted: Retain (the default) or Delete.",
  "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled":
    "When it is scaled down: Retain (the default) or Delete.",
};
