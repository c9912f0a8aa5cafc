import { describe, expect, test } from 'vitest';
import { contentKindOf, isKnownText } from '../../../shared/rules/content-kind.ts';

const kindOf = (path: string, text = 'x\n'): string => {
  const { kind, language } = contentKindOf(path, text);
  return `${kind}: ${language}`;
};

describe('contentKindOf', () => {
  test.each<[string, string, string?]>([
    ['rules: JavaScript', 'src/a.mjs'],
    ['rules: Bash', 'bin/run', '#!/bin/sh\n'],
    ['rules: Ruby', 'Gemfile'],
    ['rules: JavaScript', 'README.js'],
    ['rules: CSharp', 'src/A.cs'],
    ['rules: Rust', 'src/main.rs'],
    ['rules: Kotlin', 'build.gradle.kts'],
    ['rules: C', 'src/main.c'],
    ['rules: C', 'src/list.h', 'struct list { int class; };\n#define using 1\n'],
    ['rules: Cpp', 'src/list.h', '#pragma once\n\ntemplate <typename T>\nstruct list;\n'],
    ['rules: Cpp', 'src/list.h', 'struct list {\n private:\n  int a;\n};\n'],
    ['rules: Cpp', 'src/list.h', 'void f(const std::string& a);\n'],
    ['rules: Cpp', 'src/list.cc'],
    ['unknown: F#', 'src/a.fs'],
    ['no_code: prose', 'docs/a.md'],
    ['no_code: prose', 'LICENSE'],
    ['no_code: prose', 'notes.txt'],
    ['no_code: data', 'data/a.json'],
    ['no_code: data', 'a.csv'],
    ['no_code: data', 'config/app.toml'],
    ['no_code: data', 'i18n/de.yaml', 'hello: Hallo\n'],
    ['no_code: data', 'logo.png', 'version https://git-lfs.github.com/spec/v1\n'],
    ['no_code: lock file', 'package-lock.json'],
    ['no_code: lock file', 'Cargo.lock'],
    ['no_code: image', 'logo.png', ''],
    ['unknown: .png', 'logo.png', 'text\n'],
    ['unknown: SVG', 'logo.svg'],
    ['unknown: HTML', 'index.html'],
    ['rules: SQL', 'db/schema.sql'],
    ['unknown: SQL', 'db/schema.plsql'],
    ['rules: Vue', 'src/a.vue'],
    ['rules: Svelte', 'src/a.svelte'],
    ['rules: Yaml', '.github/workflows/a.yml'],
    ['rules: Yaml', '.gitlab-ci.yml'],
    ['rules: Yaml', 'action.yml'],
    ['unknown: MDX', 'docs/a.mdx'],
    ['rules: Dockerfile', 'Dockerfile'],
    ['rules: Dockerfile', 'build/Dockerfile.prod'],
    ['rules: Dockerfile', 'api.dockerfile'],
    ['unknown: Dockerfile', '.dockerignore'],
    ['unknown: container definition', 'docker-compose.override.yml'],
    ['unknown: CI definition', 'azure-pipelines.yml'],
    ['unknown: CI definition', 'Jenkinsfile'],
    ['unknown: instructions to tools', '.github/dependabot.yaml.md'],
    ['unknown: infrastructure', 'ci/settings.json'],
    ['unknown: infrastructure', 'k8s/a.yaml'],
    ['unknown: infrastructure', 'a.yaml', 'kind: Pod\napiVersion: v1\n'],
    ['unknown: infrastructure', 'play.yml', '- hosts: all\n'],
    ['unknown: infrastructure', 'jobs.yml', 'build:\n  script: curl x | sh\n'],
    ['unknown: package manifest', 'package.json'],
    ['unknown: package manifest', 'pyproject.toml'],
    ['unknown: package manifest', 'requirements-dev.txt'],
    ['unknown: package manifest', 'go.mod'],
    ['unknown: CMake', 'CMakeLists.txt'],
    ['unknown: Make', 'Makefile'],
    ['rules: Terraform', 'main.tf'],
    ['unknown: Terraform', 'prod.tfvars'],
    ['unknown: instructions to tools', 'CLAUDE.md'],
    ['unknown: instructions to tools', '.gitattributes'],
    ['unknown: script for perl', 'bin/tool', '#!/usr/bin/env perl\n'],
    ['unknown: tool', 'bin/tool'],
    ['unknown: .foo', 'a.foo'],
  ])('says "%s" of %s', (expected, path, text) => {
    expect(kindOf(path, text)).toBe(expected);
  });

  test('takes text names for text, whatever bytes the file holds', () => {
    const texts = [
      'a.js',
      'a.cs',
      'a.md',
      'a.json',
      'Dockerfile',
      'Makefile',
      '.github/workflows/a.yml',
      'package-lock.json',
    ];
    expect(texts.filter((path) => !isKnownText(path))).toEqual([]);
    expect(['a.png', 'a.zip', 'tool', 'a.foo', 'bun.lockb'].filter(isKnownText)).toEqual([]);
  });
});
