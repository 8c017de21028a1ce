"""Judgments formats: every module here without a leading underscore is one."""
