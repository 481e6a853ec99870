-- The durable model of prisma/schema.prisma, and what Prisma cannot express:
-- audit_entries is partitioned, audit_head has exactly one row, and a subject has one role in a namespace.

-- CreateEnum
CREATE TYPE "AgentKind" AS ENUM ('AGENT', 'TOOL', 'API', 'DATASOURCE');

-- CreateEnum
CREATE TYPE "Domain" AS ENUM ('CANARY', 'STAGING', 'PRODUCTION');

-- CreateEnum
CREATE TYPE "CapabilityMode" AS ENUM ('SYNC', 'TASK');

-- CreateEnum
CREATE TYPE "PermissionEffect" AS ENUM ('ALLOW', 'DENY');

-- CreateEnum
CREATE TYPE "PermissionStatus" AS ENUM ('ACTIVE', 'PENDING', 'REJECTED');

-- CreateEnum
CREATE TYPE "Role" AS ENUM ('VIEWER', 'OPERATOR', 'ADMIN');

-- CreateEnum
CREATE TYPE "TokenKind" AS ENUM ('AGENT', 'APP');

-- CreateEnum
CREATE TYPE "AuditKind" AS ENUM ('CALL', 'CHANGE', 'REFUSAL', 'TRANSITION');

-- CreateEnum
CREATE TYPE "ClaimState" AS ENUM ('RUNNING', 'DONE', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "TaskState" AS ENUM ('ACCEPTED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN');

-- CreateTable
CREATE TABLE "namespaces" (
    "id" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "observe_mode" BOOLEAN NOT NULL DEFAULT false,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "namespaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agents" (
    "uid" UUID NOT NULL,
    "namespace" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL DEFAULT '',
    "kind" "AgentKind" NOT NULL DEFAULT 'AGENT',
    "description" TEXT NOT NULL DEFAULT '',
    "owner" TEXT NOT NULL DEFAULT '',
    "labels" JSONB NOT NULL DEFAULT '{}',
    "weight" INTEGER NOT NULL DEFAULT 100,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "label_overrides" JSONB NOT NULL DEFAULT '{}',
    "roles" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "enrolment_key_id" UUID,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "agent_versions" (
    "uid" UUID NOT NULL,
    "agent_uid" UUID NOT NULL,
    "version" TEXT NOT NULL,
    "domain" "Domain" NOT NULL DEFAULT 'PRODUCTION',
    "content_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_versions_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "capabilities" (
    "uid" UUID NOT NULL,
    "agent_version_uid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "description" TEXT NOT NULL,
    "input_schema" JSONB NOT NULL,
    "output_schema" JSONB,
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "idempotent" BOOLEAN NOT NULL DEFAULT false,
    "mode" "CapabilityMode" NOT NULL DEFAULT 'SYNC',
    "cache_ttl_ms" INTEGER NOT NULL DEFAULT 0,
    "sensitive" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "headers" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "capabilities_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "instances" (
    "uid" UUID NOT NULL,
    "agent_uid" UUID NOT NULL,
    "agent_version_uid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "incarnation" TEXT NOT NULL,
    "zone" TEXT NOT NULL DEFAULT 'default',
    "endpoints" JSONB NOT NULL DEFAULT '[]',
    "settings" JSONB NOT NULL DEFAULT '{}',
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "registered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "instances_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "policies" (
    "uid" UUID NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "current_version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policies_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "policy_versions" (
    "policy_uid" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "content" JSONB NOT NULL,
    "author" TEXT NOT NULL,
    "comment" TEXT NOT NULL DEFAULT '',
    "rollout_percent" INTEGER NOT NULL DEFAULT 100,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policy_versions_pkey" PRIMARY KEY ("policy_uid","version")
);

-- CreateTable
CREATE TABLE "permissions" (
    "uid" UUID NOT NULL,
    "namespace" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "effect" "PermissionEffect" NOT NULL,
    "status" "PermissionStatus" NOT NULL DEFAULT 'ACTIVE',
    "comment" TEXT NOT NULL DEFAULT '',
    "created_by" TEXT NOT NULL,
    "decided_by" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "permissions_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "users" (
    "uid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "role_bindings" (
    "uid" UUID NOT NULL,
    "user_uid" UUID,
    "token_uid" UUID,
    "namespace" TEXT,
    "role" "Role" NOT NULL,

    CONSTRAINT "role_bindings_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "sessions" (
    "uid" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "user_uid" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "address" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "sign_in_links" (
    "hash" TEXT NOT NULL,
    "user_uid" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_links_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "tokens" (
    "uid" UUID NOT NULL,
    "kind" "TokenKind" NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "agent_uid" UUID,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "enrolment_keys" (
    "uid" UUID NOT NULL,
    "namespace" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "max_uses" INTEGER,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "enrolment_keys_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "audit_head" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "sequence" BIGINT NOT NULL DEFAULT 0,
    "config_version" BIGINT NOT NULL DEFAULT 0,
    "node_epoch" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "audit_head_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "journal_cursors" (
    "journal" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "loaded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "journal_cursors_pkey" PRIMARY KEY ("journal")
);

-- CreateTable: one partition for each day of recorded_at (UTC), made ahead by api/src/storage/audit-partitions.ts
CREATE TABLE "audit_entries" (
    "sequence" BIGINT NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "kind" "AuditKind" NOT NULL,
    "namespace" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "on_behalf_of" TEXT,
    "target" TEXT NOT NULL DEFAULT '',
    "caller_namespace" TEXT,
    "capability" TEXT,
    "instance" TEXT,
    "outcome" TEXT NOT NULL,
    "request_id" TEXT,
    "trace_id" TEXT,
    "duration_ms" DOUBLE PRECISION,
    "attempts" INTEGER,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("sequence","recorded_at")
) PARTITION BY RANGE ("recorded_at");

-- CreateTable
CREATE TABLE "claims" (
    "caller" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "params_hash" TEXT NOT NULL,
    "state" "ClaimState" NOT NULL,
    "node_epoch" BIGINT NOT NULL,
    "instance" TEXT,
    "incarnation" TEXT,
    "dispatch_id" TEXT,
    "result" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "claims_pkey" PRIMARY KEY ("caller","request_id")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "capability" TEXT NOT NULL,
    "state" "TaskState" NOT NULL DEFAULT 'ACCEPTED',
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "instance" TEXT,
    "incarnation" TEXT,
    "dispatch_id" TEXT,
    "progress" JSONB,
    "result" BYTEA,
    "error" JSONB,
    "callback_url" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "agents_namespace_id_key" ON "agents"("namespace", "id");

-- CreateIndex
CREATE UNIQUE INDEX "agent_versions_agent_uid_version_key" ON "agent_versions"("agent_uid", "version");

-- CreateIndex
CREATE INDEX "capabilities_name_idx" ON "capabilities"("name");

-- CreateIndex
CREATE UNIQUE INDEX "capabilities_agent_version_uid_name_key" ON "capabilities"("agent_version_uid", "name");

-- CreateIndex
CREATE UNIQUE INDEX "instances_agent_uid_name_key" ON "instances"("agent_uid", "name");

-- CreateIndex
CREATE UNIQUE INDEX "policies_namespace_name_key" ON "policies"("namespace", "name");

-- CreateIndex
CREATE UNIQUE INDEX "permissions_namespace_caller_target_capability_effect_key" ON "permissions"("namespace", "caller", "target", "capability", "effect");

-- CreateIndex
CREATE UNIQUE INDEX "users_name_key" ON "users"("name");

-- CreateIndex
CREATE INDEX "role_bindings_user_uid_idx" ON "role_bindings"("user_uid");

-- CreateIndex
CREATE INDEX "role_bindings_token_uid_idx" ON "role_bindings"("token_uid");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_hash_key" ON "sessions"("hash");

-- CreateIndex
CREATE INDEX "sessions_user_uid_idx" ON "sessions"("user_uid");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_hash_key" ON "tokens"("hash");

-- CreateIndex
CREATE INDEX "tokens_agent_uid_idx" ON "tokens"("agent_uid");

-- CreateIndex
CREATE UNIQUE INDEX "enrolment_keys_hash_key" ON "enrolment_keys"("hash");

-- CreateIndex
CREATE INDEX "audit_entries_namespace_sequence_idx" ON "audit_entries"("namespace", "sequence");

-- CreateIndex
CREATE INDEX "audit_entries_actor_sequence_idx" ON "audit_entries"("actor", "sequence");

-- Partial: few entries are on somebody's behalf, and the others should not pay for it.
CREATE INDEX "audit_entries_on_behalf_of_sequence_idx" ON "audit_entries"("on_behalf_of", "sequence") WHERE "on_behalf_of" IS NOT NULL;

-- CreateIndex
CREATE INDEX "audit_entries_target_sequence_idx" ON "audit_entries"("target", "sequence");

-- CreateIndex
CREATE INDEX "audit_entries_request_id_idx" ON "audit_entries"("request_id");

-- CreateIndex
CREATE INDEX "audit_entries_trace_id_idx" ON "audit_entries"("trace_id");

-- CreateIndex
CREATE INDEX "claims_expires_at_idx" ON "claims"("expires_at");

-- CreateIndex
CREATE INDEX "tasks_state_deadline_at_idx" ON "tasks"("state", "deadline_at");

-- CreateIndex
CREATE UNIQUE INDEX "tasks_caller_request_id_key" ON "tasks"("caller", "request_id");

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_namespace_fkey" FOREIGN KEY ("namespace") REFERENCES "namespaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_enrolment_key_id_fkey" FOREIGN KEY ("enrolment_key_id") REFERENCES "enrolment_keys"("uid") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_agent_uid_fkey" FOREIGN KEY ("agent_uid") REFERENCES "agents"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "capabilities" ADD CONSTRAINT "capabilities_agent_version_uid_fkey" FOREIGN KEY ("agent_version_uid") REFERENCES "agent_versions"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instances" ADD CONSTRAINT "instances_agent_uid_fkey" FOREIGN KEY ("agent_uid") REFERENCES "agents"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "instances" ADD CONSTRAINT "instances_agent_version_uid_fkey" FOREIGN KEY ("agent_version_uid") REFERENCES "agent_versions"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policies" ADD CONSTRAINT "policies_namespace_fkey" FOREIGN KEY ("namespace") REFERENCES "namespaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy_versions" ADD CONSTRAINT "policy_versions_policy_uid_fkey" FOREIGN KEY ("policy_uid") REFERENCES "policies"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "permissions" ADD CONSTRAINT "permissions_namespace_fkey" FOREIGN KEY ("namespace") REFERENCES "namespaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_bindings" ADD CONSTRAINT "role_bindings_user_uid_fkey" FOREIGN KEY ("user_uid") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_bindings" ADD CONSTRAINT "role_bindings_token_uid_fkey" FOREIGN KEY ("token_uid") REFERENCES "tokens"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_bindings" ADD CONSTRAINT "role_bindings_namespace_fkey" FOREIGN KEY ("namespace") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_uid_fkey" FOREIGN KEY ("user_uid") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_links" ADD CONSTRAINT "sign_in_links_user_uid_fkey" FOREIGN KEY ("user_uid") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_namespace_fkey" FOREIGN KEY ("namespace") REFERENCES "namespaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_agent_uid_fkey" FOREIGN KEY ("agent_uid") REFERENCES "agents"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolment_keys" ADD CONSTRAINT "enrolment_keys_namespace_fkey" FOREIGN KEY ("namespace") REFERENCES "namespaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- One role of a subject in one namespace, or in all; the NULLs that say "in all" count as equal.
CREATE UNIQUE INDEX "role_bindings_subject_namespace_key" ON "role_bindings"("user_uid", "token_uid", "namespace") NULLS NOT DISTINCT;

-- A role binding is of a user or of a token, never of both.
ALTER TABLE "role_bindings" ADD CONSTRAINT "role_bindings_one_subject" CHECK (num_nonnulls("user_uid", "token_uid") = 1);

-- Exactly one row orders the audit.
ALTER TABLE "audit_head" ADD CONSTRAINT "audit_head_one_row" CHECK ("id" = 1);
INSERT INTO "audit_head" ("id") VALUES (1);
