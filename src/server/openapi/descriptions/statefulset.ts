/** Pure: what the fields of StatefulSets mean. */
export const statefulSetDescriptions: { readonly [typeOrField: string]: string } = {
  "apps/v1.StatefulSet": "Pods with lasting names and storage: web-0, web-1 and so on.",
  "apps/v1.StatefulSet.spec": "How many Pods, what they are, and how they are replaced.",
  "apps/v1.StatefulSet.status":
    "How many Pods there are and of which revision. Written by the controller.",
  "apps/v1.StatefulSetSpec": "How many Pods with lasting names there are, and how they change.",
  "apps/v1.StatefulSetSpec.minReadySeconds":
    "How long a Pod must be ready before it counts as available; 0 if left out.",
  "apps/v1.StatefulSetSpec.ordinals": "Where the numbering of Pods begins.",
  "apps/v1.StatefulSetSpec.persistentVolumeClaimRetentionPolicy":
    "What becomes of the claims when the StatefulSet is deleted or made smaller.",
  "apps/v1.StatefulSetSpec.podManagementPolicy":
    "OrderedReady (the default) creates Pods one after another, each when the one before " +
    "is ready, and removes them in reverse; Parallel does not wait. Cannot be changed.",
  "apps/v1.StatefulSetSpec.replicas": "How many Pods there are to be; 1 if left out.",
  "apps/v1.StatefulSetSpec.revisionHistoryLimit":
    "How many earlier revisions are kept; 10 if left out.",
  "apps/v1.StatefulSetSpec.selector":
    "Which Pods belong to it. Must match the labels of the template. Cannot be changed.",
  "apps/v1.StatefulSetSpec.serviceName":
    "The headless service under which each Pod has a DNS name. It must be created " +
    "separately. Cannot be changed.",
  "apps/v1.StatefulSetSpec.template": "The Pod, the same for every number.",
  "apps/v1.StatefulSetSpec.updateStrategy": "How Pods are replaced when the template changes.",
  "apps/v1.StatefulSetSpec.volumeClaimTemplates":
    "Claims made for each Pod. A Pod that comes back finds its claims again.",
  "apps/v1.StatefulSetStatus": "How many Pods a StatefulSet has and how they are.",
  "apps/v1.StatefulSetStatus.availableReplicas": "Pods that have been ready for minReadySeconds.",
  "apps/v1.StatefulSetStatus.collisionCount": "How often the name of a revision was taken already.",
  "apps/v1.StatefulSetStatus.conditions": "What is true of the StatefulSet.",
  "apps/v1.StatefulSetStatus.currentReplicas": "Pods of the current revision.",
  "apps/v1.StatefulSetStatus.currentRevision": "The revision Pods had before the update under way.",
  "apps/v1.StatefulSetStatus.observedGeneration": "The generation this status speaks about.",
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
    "How many Pods may be missing at a time, as a number or percentage; 1 if left out.",
  "apps/v1.RollingUpdateStatefulSetStrategy.partition":
    "Only Pods with this number or a higher one are updated; 0 if left out.",
  "apps/v1.StatefulSetOrdinals": "How Pods are numbered.",
  "apps/v1.StatefulSetOrdinals.start": "The first number; 0 if left out.",
  "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy":
    "When claims made from volumeClaimTemplates are deleted.",
  "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted":
    "When the StatefulSet is deleted: Retain (the default) or Delete.",
  "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled":
    "When it is made smaller: Retain (the default) or Delete.",
};
